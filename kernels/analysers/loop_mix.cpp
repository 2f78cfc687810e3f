#include "kernels/analysers/loop_mix.h"

#include <algorithm>

#include "kernels/analysers/instruction_mix.h"

namespace apmt::kernels {
namespace {

std::uint32_t block_of(const Program& program, std::uint32_t instruction) {
  const auto behind = std::upper_bound(
      program.blocks.begin(), program.blocks.end(), instruction,
      [](std::uint32_t i, const Block& block) { return i < block.first_instruction; });
  return static_cast<std::uint32_t>(behind - program.blocks.begin() - 1);
}

}  // namespace

void LoopMix::moved(const Program& program, std::uint32_t block, std::uint32_t around,
                    std::uint64_t read_bytes, std::uint64_t written_bytes) {
  const std::uint32_t loop = program.blocks[block].loop;
  if (loop == kNone && around == kNone) return;
  InstructionMix& mix = moved_[{loop != kNone ? loop : around, block}];
  constexpr std::uint64_t kWord = 8;
  mix.loads += (read_bytes + kWord - 1) / kWord;
  mix.stores += (written_bytes + kWord - 1) / kWord;
  mix.loaded_bytes += read_bytes;
  mix.stored_bytes += written_bytes;
}

void LoopMix::compress() {
  for (std::uint32_t block = 0; block < inside_.size(); ++block)
    if (inside_[block] > 0) compressed_.emplace_back(block, inside_[block]);
  inside_ = {};
}

void LoopMix::add(const LoopMix& other, std::uint64_t times) {
  if (!other.compressed_.empty() && other.compressed_.back().first >= inside_.size())
    inside_.resize(other.compressed_.back().first + 1);
  for (const auto& [block, executions] : other.compressed_) inside_[block] += times * executions;
  for (const auto& [where, executions] : other.called_) called_[where] += times * executions;
  for (const auto& [where, mix] : other.moved_) moved_[where].add(mix, times);
}

InstructionMix LoopMix::mix(const Program& program, std::uint32_t loop) const {
  InstructionMix sum;
  // Only blocks of the loop's own function can be in the loop.
  const Function& function = program.functions[program.loops[loop].function];
  for (std::uint32_t b = function.first_block; b < function.first_block + function.blocks; ++b)
    if (program.blocks[b].loop == loop && b < inside_.size() && inside_[b] > 0)
      sum.add(mix_of(program, program.blocks[b]), inside_[b]);
  for (auto at = called_.lower_bound({loop, 0}); at != called_.end() && at->first.first == loop;
       ++at)
    sum.add(mix_of(program, program.blocks[at->first.second]), at->second);
  for (auto at = moved_.lower_bound({loop, 0}); at != moved_.end() && at->first.first == loop; ++at)
    sum.add(at->second);
  return sum;
}

InstructionMix LoopMix::moved_by(const Program& program, std::uint32_t instruction,
                                 std::uint32_t loop) const {
  const std::uint32_t block = block_of(program, instruction);
  const auto moved = moved_.find({loop, block});
  if (moved == moved_.end()) return {};
  std::uint64_t movers = 0;
  for (const Instruction& i : program.code(program.blocks[block]))
    movers += i.op == OpClass::kCopyMemory || i.op == OpClass::kFillMemory;
  InstructionMix part = moved->second;
  for (std::uint64_t InstructionMix::*count :
       {&InstructionMix::loads, &InstructionMix::stores, &InstructionMix::loaded_bytes,
        &InstructionMix::stored_bytes})
    part.*count /= movers;
  return part;
}

std::uint64_t LoopMix::executions(const Program& program, std::uint32_t instruction,
                                  std::uint32_t loop) const {
  const std::uint32_t block = block_of(program, instruction);
  if (program.blocks[block].loop == loop) return block < inside_.size() ? inside_[block] : 0;
  const auto called = called_.find({loop, block});
  return called == called_.end() ? 0 : called->second;
}

}  // namespace apmt::kernels
