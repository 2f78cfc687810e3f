#include "kernels/analysers/asap.h"

#include <algorithm>

#include "kernels/analysers/entries.h"
#include "kernels/analysers/flow.h"
#include "kernels/analysers/level_counts.h"
#include "kernels/analysers/log_histogram.h"
#include "kernels/analysers/per_kernel.h"
#include "kernels/analysers/shadow.h"
#include "kernels/analysers/work_items.h"

namespace apmt::kernels {
namespace {

using Level = std::uint32_t;
constexpr std::size_t kProfilePoints = 512;

struct FloatingPoint {
  static constexpr bool kInductionsAreKnown = false;
  static constexpr std::optional<Parallelism> KernelAnalysis::* kWhere =
      &KernelAnalysis::floating_point;
  static constexpr bool counts(OpClass op) {
    return op == OpClass::kFloatAdd || op == OpClass::kFloatMultiply ||
           op == OpClass::kFloatMultiplyAdd || op == OpClass::kFloatDivide ||
           op == OpClass::kFloatSpecial;
  }
};

struct AllOperations {
  static constexpr bool kInductionsAreKnown = true;
  static constexpr std::optional<Parallelism> KernelAnalysis::* kWhere =
      &KernelAnalysis::all_operations;
  static constexpr bool counts(OpClass op) {
    return op != OpClass::kPhi && op != OpClass::kJump && op != OpClass::kReturn &&
           op != OpClass::kCall && op != OpClass::kOther;
  }
};

template <class Operations>
class Asap : public Analyser {
 public:
  explicit Asap(Level highest) : highest_(highest) {}

  void begin(const Program& program) override {
    program_ = &program;
    flow_.begin(program);
    if constexpr (Operations::kInductionsAreKnown)
      for (std::size_t l = loops_; l < program.loops.size(); ++l) note_inductions(program.loops[l]);
    loops_ = program.loops.size();
    is_known_.resize(program.instructions.size());
    for (std::size_t b = blocks_; b < program.blocks.size(); ++b) note_places(program.blocks[b]);
    blocks_ = program.blocks.size();
  }

  void consume(unsigned thread, std::span<const Word> words) override {
    if (!thread_.follows(thread, words, [&] { flow_.forget(*this); })) return;
    for_each_event(
        *program_, words,
        [&](std::uint32_t block, const Word* more) { flow_.block(block, more, *this); },
        [&](Mark mark, std::uint64_t number) {
          if (mark == Mark::kKernelEnd && kernels_.running() != nullptr) close();
          kernels_.note(mark, number);
          if (mark == Mark::kGap) flow_.forget(*this);
          items_.note(mark, number, flow_.frames(), frames_, values_);
        });
  }

  void finish(Analysis* analysis) override {
    for (auto& kernel : kernels_) {
      Parallelism& p = kernel.found.parallelism;
      for (const LogHistogram::Bin& bin : kernel.found.widths.bins())
        p.widths.push_back({bin.from, bin.to, bin.count, bin.sum});
      p.shadow_bytes = memory_.bytes();
      p.is_complete = !memory_.overflowed() && !is_cut_;
      entry_of(analysis, *program_, kernel.function, kernel.invocations).*Operations::kWhere = p;
    }
  }

  // Called by Flow.
  void entered(std::uint32_t function, const Instruction* call) {
    const Function& f = program_->functions[function];
    const std::size_t base = values_.size(), caller = frames_.empty() ? 0 : frames_.back().values;
    values_.resize(base + 1 + f.arguments + f.slots);
    if (call != nullptr)
      for (std::uint32_t a = 0; a < std::min<std::uint32_t>(f.arguments, call->operands); ++a)
        values_[base + 1 + a] = values_[caller + places_[call->first_operand + a]];
    const bool has_result = call != nullptr && call->result != kNone;
    frames_.push_back({base, 1 + f.arguments,
                       has_result ? caller + frames_.back().first_slot + call->result : kNowhere});
  }
  void left(const Instruction* result) {
    const Frame frame = frames_.back();
    frames_.pop_back();
    if (result != nullptr && result->operands > 0 && frame.result != kNowhere)
      values_[frame.result] = values_[frame.values + places_[result->first_operand]];
    values_.resize(frame.values);
  }
  void loop_entered(std::uint32_t) {}
  void loop_iterated(std::uint32_t) {}
  void loop_left(std::uint32_t, std::uint32_t) {}

  void ran(std::uint32_t index, const Word* words, std::uint32_t before) {
    const Block& block = program_->blocks[index];
    const Frame frame = frames_.back();
    Level* const values = values_.data() + frame.values;
    Level* const results = values + frame.first_slot;
    const Instruction* code = program_->instructions.data() + block.first_instruction;
    const Instruction* const end = code + block.instructions;
    if (code->op == OpClass::kPhi) code = phis(code, end, before, frame);
    for (; code != end; ++code) {
      const std::uint32_t* const place = places_.data() + code->first_operand;
      Level ready = 0;
      for (std::uint32_t k = 0; k < code->operands; ++k) ready = std::max(ready, values[place[k]]);
      switch (code->op) {
        case OpClass::kLoad:
          ready = read(words[0], code->bytes, ready);
          run(code, &ready);
          ++words;
          break;
        case OpClass::kStore:
          run(code, &ready);
          write(words[0], code->bytes, ready);
          ++words;
          break;
        case OpClass::kAtomic:
          ready = read(words[0], code->bytes, ready);
          run(code, &ready);
          write(words[0], code->bytes, ready);
          ++words;
          break;
        case OpClass::kFillMemory:
          run(code, &ready);
          write(words[0], words[1], ready);
          words += 2;
          break;
        case OpClass::kCopyMemory:
          ready = read(words[1], words[2], ready);
          run(code, &ready);
          write(words[0], words[2], ready);
          words += 3;
          break;
        case OpClass::kFloatMultiplyAdd: {
          Level product = std::max(values[place[0]], values[place[1]]);
          run(code, &product);
          ready = std::max(product, values[place[2]]);
          run(code, &ready);
          break;
        }
        default:
          run(code, &ready);
      }
      if (code->result != kNone) results[code->result] = ready;
    }
  }

 private:
  // The values of a frame, in this order: one entry for all constants, which is always ready; the
  // arguments; the results of instructions (slots).
  struct Frame {
    std::size_t values = 0;         // where they begin in values_
    std::uint32_t first_slot = 0;   // relative to `values`
    std::size_t result = kNowhere;  // place of the call's result in values_
  };
  static constexpr std::size_t kNowhere = ~std::size_t{0};
  struct Found {
    Parallelism parallelism;
    LogHistogram widths;
  };

  /// Finds the place of each operand of a block's instructions in its frame.
  void note_places(const Block& block) {
    places_.resize(program_->operands.size());
    const std::uint32_t first_slot = 1 + program_->functions[block.function].arguments;
    for (const Instruction& i : program_->code(block))
      for (std::uint32_t k = i.first_operand; k < i.first_operand + i.operands; ++k) {
        const Operand operand{program_->operands[k]};
        if (operand.kind() == Operand::Kind::kArgument) places_[k] = 1 + operand.index();
        if (operand.kind() == Operand::Kind::kValue) places_[k] = first_slot + operand.index();
      }
  }

  /// Runs the operation one level above the highest level among the values that it waits for.
  void run(const Instruction* code, Level* ready) {
    if (!Operations::counts(code->op) || kernels_.running() == nullptr) return;
    const Level behind = std::max(*ready, base_);
    is_cut_ |= behind == highest_;
    *ready = behind == highest_ ? behind : behind + 1;
    levels_.add(*ready - base_, code->lanes);
  }

  /// Levels up to base_ belong to earlier invocations and are ready from the start.
  Level read(Word address, Word bytes, Level ready) {
    memory_.each(address, bytes, [&](Level& level) { ready = std::max(ready, level); });
    return ready;
  }
  void write(Word address, Word bytes, Level ready) {
    memory_.each(address, bytes, [&](Level& level) { level = ready; });
  }

  /// Reads the operands of all phis before it writes any result.
  const Instruction* phis(const Instruction* code, const Instruction* end, std::uint32_t before,
                          const Frame& frame) {
    Level* const values = values_.data() + frame.values;
    incoming_.clear();
    const Instruction* const first = code;
    for (; code != end && code->op == OpClass::kPhi; ++code) {
      Level level = 0;
      if (!is_known_[static_cast<std::size_t>(code - program_->instructions.data())])
        for (std::uint32_t k = code->first_operand; k < code->first_operand + code->operands;
             k += 2)
          if (program_->operands[k + 1] == before) level = values[places_[k]];
      incoming_.push_back(level);
    }
    for (const Instruction* phi = first; phi != code; ++phi)
      if (phi->result != kNone)
        values[frame.first_slot + phi->result] = incoming_[static_cast<std::size_t>(phi - first)];
    return code;
  }

  void note_inductions(const Loop& loop) {
    is_known_.resize(program_->instructions.size());
    const Block& header = program_->blocks[loop.header];
    for (std::uint32_t i = 0; i < header.instructions; ++i)
      for (const Excepted& e : program_->excepted_of(loop))
        if (e.why == Excepted::kInduction && e.slot == program_->code(header)[i].result)
          is_known_[header.first_instruction + i] = true;
  }

  void close() {
    Found& found = *kernels_.running();
    Parallelism& p = found.parallelism;
    p.depth += levels_.depth();
    p.operations += levels_.operations();
    p.levels_per_row = std::max(p.levels_per_row, levels_.levels_per_row());
    levels_.each([&](std::uint64_t operations, std::uint64_t levels) {
      // The operations of a row are distributed evenly over its levels.
      const std::uint64_t wider = operations % levels;
      found.widths.add(operations / levels, levels - wider);
      if (wider > 0) found.widths.add(operations / levels + 1, wider);
    });
    if (kernels_.is_first_invocation()) p.profile = profile();
    base_ += static_cast<Level>(levels_.depth());
    levels_.clear();
    if (base_ >= highest_ / 4) {  // make room for the next schedule
      memory_.clear();
      std::fill(values_.begin(), values_.end(), 0);
      base_ = 0;
    }
  }

  std::vector<double> profile() const {
    const std::uint64_t depth = levels_.depth(),
                        points = std::min<std::uint64_t>(depth, kProfilePoints);
    std::vector<double> operations(points);
    std::uint64_t level = 0;
    levels_.each([&](std::uint64_t n, std::uint64_t levels) {
      operations[level * points / depth] += static_cast<double>(n);
      level += levels;
    });
    for (std::uint64_t i = 0; i < points; ++i) {
      const std::uint64_t from = (i * depth + points - 1) / points,
                          to = ((i + 1) * depth + points - 1) / points;
      operations[i] /= static_cast<double>(std::max<std::uint64_t>(to - from, 1));
    }
    return operations;
  }

  const Level highest_;
  bool is_cut_ = false;
  const Program* program_ = nullptr;
  std::size_t loops_ = 0, blocks_ = 0;
  std::vector<std::uint32_t> places_;  // by operand
  Flow flow_;
  OneThread thread_;
  PerKernel<Found> kernels_;
  std::vector<Frame> frames_;
  std::vector<Level> values_;
  WorkItems<std::vector<Flow::Frame>, std::vector<Frame>, std::vector<Level>> items_;
  std::vector<Level> incoming_;
  std::vector<bool> is_known_;  // by instruction: whether it is the phi of an induction
  Shadow<Level> memory_{2};
  LevelCounts levels_;
  Level base_ = 0;
};

}  // namespace

std::unique_ptr<Analyser> make_asap_of_floating_point(std::uint32_t highest) {
  return std::make_unique<Asap<FloatingPoint>>(highest);
}
std::unique_ptr<Analyser> make_asap_of_all_operations(std::uint32_t highest) {
  return std::make_unique<Asap<AllOperations>>(highest);
}

}  // namespace apmt::kernels
