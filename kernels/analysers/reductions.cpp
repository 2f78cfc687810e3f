#include "kernels/analysers/reductions.h"

#include <span>

namespace apmt::kernels {
namespace {

std::span<const Block> blocks_of(const Program& program, const Function& function) {
  return std::span(program.blocks).subspan(function.first_block, function.blocks);
}

bool is_inside(const Program& program, std::uint32_t loop, std::uint32_t outer) {
  while (loop != kNone && loop != outer) loop = program.loops[loop].parent;
  return loop == outer;
}

}  // namespace

Reductions::Reductions(const Program& program, const Function& function)
    : is_carried_load_(function.slots) {
  const auto blocks = blocks_of(program, function);
  first_operand_ = program.instructions[blocks.front().first_instruction].first_operand;
  const Instruction& last = program.code(blocks.back()).back();
  is_carried_.resize(last.first_operand + last.operands - first_operand_);
  std::vector<bool> has_loop(program.loops.size());
  for (const Block& block : blocks) {
    if (block.loop == kNone || has_loop[block.loop]) continue;
    for (std::uint32_t l = block.loop; l != kNone && !has_loop[l]; l = program.loops[l].parent) {
      has_loop[l] = true;
      for (const Excepted& e : program.excepted_of(program.loops[l]))
        if (e.why == Excepted::kReduction) follow(program, function, l, e.slot);
    }
  }
}

/// The compiler pass has made sure that only operations of the reduction read the carried value,
/// directly or through others, and that at most one store keeps the result.
void Reductions::follow(const Program& program, const Function& function, std::uint32_t loop,
                        std::uint32_t slot) {
  std::vector<bool> is_part(function.slots);
  is_part[slot] = true;
  const auto is_result_so_far = [&](std::uint32_t bits) {
    const Operand operand{bits};
    return operand.kind() == Operand::Kind::kValue && is_part[operand.index()];
  };
  const Instruction* start = nullptr;
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (const Block& block : blocks_of(program, function)) {
      if (!is_inside(program, block.loop, loop)) continue;
      for (const Instruction& i : program.code(block)) {
        if (i.result == slot) start = &i;
        if (i.op == OpClass::kCall || i.op == OpClass::kReturn) continue;
        const auto operands = program.operands_of(i);
        for (std::size_t k = 0; k < operands.size(); k += i.op == OpClass::kPhi ? 2 : 1) {
          if (!is_result_so_far(operands[k])) continue;
          is_carried_[i.first_operand + k - first_operand_] = true;
          if (i.result == kNone || is_part[i.result]) continue;
          is_part[i.result] = true;
          has_changed = true;
        }
      }
    }
  }
  if (start == nullptr) return;
  if (start->op == OpClass::kLoad || start->op == OpClass::kAtomic) is_carried_load_[slot] = true;
  if (start->op != OpClass::kPhi) return;
  const auto operands = program.operands_of(*start);
  for (std::size_t k = 0; k < operands.size(); k += 2)
    if (is_inside(program, program.blocks[operands[k + 1]].loop, loop) &&
        Operand{operands[k]}.kind() == Operand::Kind::kValue)
      results_.push_back({loop, Operand{operands[k]}.index()});
}

}  // namespace apmt::kernels
