#include "kernels/analysers/instruction_mix.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "kernels/analysers/entries.h"
#include "kernels/analysers/per_kernel.h"

namespace apmt::kernels {
namespace {

/// The user's annotation (docs/kernels.md), a function of the runtime.
constexpr const char* kSynchronise = "__apmt_synchronise";

std::string place(const Program& program, std::uint32_t file, std::uint32_t line) {
  return program.name(file) + ':' + std::to_string(line);
}

/// Empty counts of a source function (or of a copy of it that was inlined), with the chain of calls
/// through which it was inlined.
ScopeCounts scope_named(const Program& program, std::uint32_t function, std::uint32_t inlined) {
  const Function& f = program.functions[function];
  ScopeCounts scope{program.name(f.linkage_name), program.name(f.file), f.line, {}, {}};
  if (inlined == kNone) return scope;
  const Inlined& innermost = program.inlined[inlined];
  scope.function = program.name(innermost.linkage_name);
  scope.file = program.name(innermost.file);
  scope.line = innermost.line;
  for (std::uint32_t i = inlined; i != kNone; i = program.inlined[i].parent) {
    const Inlined& in = program.inlined[i];
    const std::uint32_t around =
        in.parent == kNone ? f.linkage_name : program.inlined[in.parent].linkage_name;
    scope.inlined_into.push_back(program.name(around) + '@' +
                                 place(program, in.call_file, in.call_line));
  }
  return scope;
}

class Mix : public Analyser {
 public:
  void begin(const Program& program) override {
    program_ = &program;
    for (std::size_t b = is_special_.size(); b < program.blocks.size(); ++b) {
      bool is_special = false;
      for (const Instruction& i : program.code(program.blocks[b]))
        is_special |=
            i.op == OpClass::kCall || i.op == OpClass::kCopyMemory || i.op == OpClass::kFillMemory;
      is_special_.push_back(is_special);
    }
  }

  void consume(unsigned thread, std::span<const Word> words) override {
    if (thread >= last_calls_.size()) last_calls_.resize(thread + 1);
    LastCall& last_call = last_calls_[thread];
    Counts* counts = running();
    if (counts != &outside_) note_thread(thread, counts);
    const auto block = [&](std::uint32_t index, const Word* more) {
      ++counts->executions[index];
      note_callee(index, counts, &last_call);
      if (is_special_[index] != 0) special(program_->blocks[index], more, counts, &last_call);
    };
    for_each_event(
        *program_, words, block,
        [&](Mark mark, std::uint64_t number) {
          kernels_.note(mark, number);
          if (mark == Mark::kCounted)
            counts->executions[counted_block(number)] += counted_executions(number);
          if (mark == Mark::kCopyToDevice) to_device_ += number;
          if (mark == Mark::kCopyFromDevice) from_device_ += number;
          counts = running();
          if (mark == Mark::kKernelBegin || mark == Mark::kKernelSkipped) {
            threads_.clear();
            note_thread(thread, counts);
          }
        },
        [&](const Run& run) {
          if (is_special_[run.block] != 0) return for_each_execution(run, block);
          note_callee(run.block, counts, &last_call);
          counts->executions[run.block] += run.times;
        });
  }

  void finish(Analysis* analysis) override {
    std::vector<std::uint64_t> all(program_->blocks.size());
    const auto add = [&](const Counts& counts) {
      for (std::size_t b = 0; b < counts.executions.size(); ++b) all[b] += counts.executions[b];
    };
    add(outside_);
    for (const auto& kernel : kernels_) {
      add(kernel.found);
      InstructionMix mix = mix_of(*program_, kernel.found.executions);
      mix.add(kernel.found.lengths);
      if (const std::uint64_t accesses = mix.loads + mix.stores; accesses > 0)
        mix.compute_per_access =
            static_cast<double>(mix.alu + mix.simd) / static_cast<double>(accesses);
      mix.flops_vector = vector_flops_of(*program_, kernel.found.executions);
      KernelAnalysis& entry = entry_of(analysis, *program_, kernel.function, kernel.invocations);
      entry.mix = mix;
      entry.threads = kernel.found.threads;
      for (const auto& [callee, calls] : kernel.found.blind_spots)
        if (callee == kNone || program_->name(callee) != kSynchronise)
          entry.blind_spots.push_back({callee == kNone ? "" : program_->name(callee), calls});
    }
    analysis->scopes = scopes_of(*program_, all);
    analysis->copied_to_device_bytes += to_device_;
    analysis->copied_from_device_bytes += from_device_;
  }

 private:
  /// The callee, if the previous block ended with a call.
  using LastCall = std::optional<std::uint32_t>;
  struct Counts {
    std::vector<std::uint64_t> executions;
    InstructionMix lengths;                              // of copies and fills
    std::map<std::uint32_t, std::uint64_t> blind_spots;  // by callee
    std::uint64_t threads = 1;                           // the most in one invocation
  };

  void note_thread(unsigned thread, Counts* counts) {
    threads_.insert(thread);
    counts->threads = std::max<std::uint64_t>(counts->threads, threads_.size());
  }

  Counts* running() {
    Counts* counts = kernels_.running() == nullptr ? &outside_ : kernels_.running();
    counts->executions.resize(program_->blocks.size());
    return counts;
  }

  /// Notes a call to code that is not instrumented: the last block ended with a call, but the block
  /// that follows is not the first block of a function.
  void note_callee(std::uint32_t block, Counts* counts, LastCall* last_call) const {
    if (!*last_call) return;
    if (!program_->is_entry(block)) ++counts->blind_spots[**last_call];
    last_call->reset();
  }

  void special(const Block& block, const Word* words, Counts* counts, LastCall* last_call) const {
    for (const Instruction& i : program_->code(block)) {
      if (i.op == OpClass::kCall) *last_call = i.callee;
      if (i.op == OpClass::kCopyMemory) {
        counts->lengths.loads += (words[2] + 7) / 8;
        counts->lengths.loaded_bytes += words[2];
      }
      if (i.op == OpClass::kCopyMemory || i.op == OpClass::kFillMemory) {
        const Word bytes = words[words_of(i.op) - 1];
        counts->lengths.stores += (bytes + 7) / 8;
        counts->lengths.stored_bytes += bytes;
      }
      words += words_of(i.op);
    }
  }

  const Program* program_ = nullptr;
  PerKernel<Counts> kernels_;
  std::set<unsigned> threads_;  // that ran, or worked for, the running invocation
  Counts outside_;
  std::vector<std::uint8_t> is_special_;  // by block: copies, fills or calls
  std::vector<LastCall> last_calls_;      // by thread
  std::uint64_t to_device_ = 0, from_device_ = 0;
};

}  // namespace

InstructionMix mix_of(const Instruction& i) {
  InstructionMix m;
  m.instructions = 1;
  const std::uint64_t lanes = i.lanes;
  const auto compute = [&] { (lanes > 1 ? m.simd : m.alu) += 1; };
  const auto operations = [&](std::uint64_t InstructionMix::*kind) {
    compute();
    m.*kind += lanes;
    m.flops += lanes;
  };
  switch (i.op) {
    case OpClass::kInteger:
    case OpClass::kCompare:
    case OpClass::kAddress:
    case OpClass::kConvert:
    case OpClass::kMove:
    case OpClass::kFloatMove:
      compute();
      break;
    case OpClass::kFloatAdd:
      operations(&InstructionMix::flops_add);
      break;
    case OpClass::kFloatMultiply:
      operations(&InstructionMix::flops_multiply);
      break;
    case OpClass::kFloatMultiplyAdd:
      m.instructions = 2;
      operations(&InstructionMix::flops_multiply);
      operations(&InstructionMix::flops_add);
      break;
    case OpClass::kFloatDivide:
      operations(&InstructionMix::flops_divide);
      break;
    case OpClass::kFloatSpecial:
      operations(&InstructionMix::flops_special);
      break;
    case OpClass::kLoad:
      m.loads = 1, m.loaded_bytes = i.bytes;
      break;
    case OpClass::kStore:
      m.stores = 1, m.stored_bytes = i.bytes;
      break;
    case OpClass::kAtomic:
      m.loads = m.stores = 1, m.loaded_bytes = m.stored_bytes = i.bytes;
      break;
    case OpClass::kFence:
    case OpClass::kBarrier:
      m.fences = 1;
      break;
    case OpClass::kJump:
    case OpClass::kBranch:
    case OpClass::kSwitch:
      m.branches = 1;
      break;
    case OpClass::kCall:
      m.calls = 1;
      break;
    default:
      break;
  }
  if (i.type == ScalarType::kFloat32) m.flops_single = m.flops;
  return m;
}

InstructionMix mix_of(const Program& program, const Block& block) {
  InstructionMix sum;
  for (const Instruction& i : program.code(block)) sum.add(mix_of(i));
  return sum;
}

InstructionMix mix_of(const Program& program, std::span<const std::uint64_t> executions) {
  InstructionMix sum;
  for (std::size_t b = 0; b < executions.size(); ++b)
    if (executions[b] > 0) sum.add(mix_of(program, program.blocks[b]), executions[b]);
  return sum;
}

std::optional<std::uint64_t> vector_flops_of(const Program& program,
                                             std::span<const std::uint64_t> executions) {
  std::uint64_t sum = 0;
  for (std::size_t b = 0; b < executions.size(); ++b) {
    if (executions[b] == 0) continue;
    for (const Instruction& i : program.code(program.blocks[b])) {
      const std::uint64_t flops = mix_of(i).flops;
      if (flops > 0 && i.vectorising == Instruction::kNotExamined) return std::nullopt;
      if (i.vectorising == Instruction::kVectorised) sum += executions[b] * flops;
    }
  }
  return sum;
}

std::vector<ScopeCounts> scopes_of(const Program& program,
                                   std::span<const std::uint64_t> executions) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, InstructionMix> by_scope;
  for (std::size_t b = 0; b < executions.size(); ++b) {
    if (executions[b] == 0) continue;
    const Block& block = program.blocks[b];
    for (const Instruction& i : program.code(block)) {
      const std::uint32_t inlined = i.site == kNone ? kNone : program.sites[i.site].inlined;
      by_scope[{block.function, inlined}].add(mix_of(i), executions[b]);
    }
  }
  std::vector<ScopeCounts> scopes;
  for (const auto& [scope, mix] : by_scope) {
    scopes.push_back(scope_named(program, scope.first, scope.second));
    scopes.back().mix = mix;
  }
  return scopes;
}

std::unique_ptr<Analyser> make_instruction_mix() { return std::make_unique<Mix>(); }

}  // namespace apmt::kernels
