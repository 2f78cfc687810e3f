#include "kernels/analysers/asap.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>

#include "kernels/analysers/asap_code.h"
#include "kernels/analysers/asap_run.h"
#include "kernels/analysers/entries.h"
#include "kernels/analysers/flow.h"
#include "kernels/analysers/level_counts.h"
#include "kernels/analysers/log_histogram.h"
#include "kernels/analysers/per_invocation.h"
#include "kernels/analysers/per_kernel.h"
#include "kernels/analysers/shadow.h"
#include "kernels/analysers/work_items.h"

namespace apmt::kernels {
namespace {

constexpr std::size_t kProfilePoints = 512;

struct FloatingPoint {
  static constexpr bool kInductionsAreKnown = false, kReassociates = false,
                        kLoadsWaitForData = true, kFindsUnforeseen = false;
  static void put(Parallelism p, std::uint64_t, KernelAnalysis* k) {
    k->floating_point = std::move(p);
  }
  static constexpr bool counts(OpClass op) {
    return op == OpClass::kFloatAdd || op == OpClass::kFloatMultiply ||
           op == OpClass::kFloatMultiplyAdd || op == OpClass::kFloatDivide ||
           op == OpClass::kFloatSpecial;
  }
};

struct AllOperations {
  static constexpr bool kInductionsAreKnown = true, kReassociates = true, kLoadsWaitForData = true,
                        kFindsUnforeseen = false;
  static void put(Parallelism p, std::uint64_t, KernelAnalysis* k) {
    k->all_operations = std::move(p);
  }
  static constexpr bool counts(OpClass op) {
    return op != OpClass::kPhi && op != OpClass::kJump && op != OpClass::kReturn &&
           op != OpClass::kCall && op != OpClass::kOther;
  }
};

struct Loads {
  static constexpr bool kInductionsAreKnown = true, kReassociates = false,
                        kLoadsWaitForData = false, kFindsUnforeseen = true;
  static void put(const Parallelism& p, std::uint64_t unforeseen, KernelAnalysis* k) {
    k->load_chain = LoadChain{p.depth, unforeseen, p.shadow_bytes, p.is_complete};
  }
  static constexpr bool counts(OpClass op) {
    return op == OpClass::kLoad || op == OpClass::kAtomic;
  }
};

/// Levels that are known before the run (asap_code.h) are far below kMostKnownLevel. Known levels
/// are used only if a schedule may have at least kFewestLevelsToFold levels.
constexpr Level kFewestLevelsToFold = 1 << 24, kMostKnownLevel = 1 << 20;

template <class Operations>
class Asap : public Analyser {
 public:
  explicit Asap(Level highest)
      : highest_(highest),
        code_({Operations::counts, Operations::kInductionsAreKnown, highest >= kFewestLevelsToFold,
               Operations::kReassociates, Operations::kLoadsWaitForData}) {}

  void begin(const Program& program) override {
    program_ = &program;
    kernels_.begin(program);
    flow_.begin(program);
    code_.add_functions_of(program);
    executions_.resize(program.blocks.size());
    run_.emplace(program, code_);
  }

  void consume(unsigned thread, std::span<const Word> words) override {
    if (!thread_.follows(thread, words, [&] { flow_.forget(*this); })) return;
    for_each_event(
        *program_, words,
        [&](std::uint32_t block, const Word* more) {
          kernels_.executed(block);
          if (!kernels_.is_skipped()) flow_.block(block, more, *this);
        },
        [&](Mark mark, std::uint64_t number) {
          if (mark == Mark::kKernelEnd) {
            flow_.forget(*this);  // frames may have been left by jumps
            if (kernels_.running() != nullptr) close();
          }
          kernels_.note(mark, number);
          is_in_kernel_ = kernels_.running() != nullptr;
          if (mark == Mark::kGap) flow_.forget(*this);
          items_.note(mark, number, flow_.frames(), frames_, values_, trips_);
        },
        [&](const Run& run) {
          kernels_.executed(run.block, run.times);
          if (!kernels_.is_skipped()) flow_.run(run, *this);
        });
  }

  void finish(Analysis* analysis) override {
    kernels_.each_kernel([&](std::uint32_t function, const Invocations& invocations, Found& found) {
      Parallelism& p = found.parallelism;
      for (const auto& [from, width] : found.widths) p.widths.push_back(width);
      p.shadow_bytes = memory_.bytes();
      p.is_complete = !memory_.overflowed() && !is_cut_;
      Operations::put(std::move(p), found.unforeseen,
                      &entry_of(analysis, *program_, function, invocations));
    });
  }

  // Called by Flow.
  void entered(std::uint32_t function, const Instruction* call) {
    const Function& f = program_->functions[function];
    const std::size_t base = values_.size();
    values_.resize(base + code_.places_of(f));
    std::size_t result = kNowhere;
    if (call != nullptr) {
      const Frame& caller = frames_.back();
      const Function& from = program_->functions[caller.function];
      const auto operands = program_->operands_of(*call);
      for (std::uint32_t a = 0; a < std::min<std::uint32_t>(f.arguments, call->operands); ++a)
        values_[base + 1 + a] = values_[caller.values + AsapCode::place_of(from, operands[a])];
      if (call->result != kNone) result = caller.values + AsapCode::first_slot(from) + call->result;
    }
    frames_.push_back({base, function, result});
  }
  void left(const Instruction* returned) {
    const Frame frame = frames_.back();
    frames_.pop_back();
    if (returned != nullptr && returned->operands > 0 && frame.result != kNowhere)
      values_[frame.result] =
          values_[frame.values + AsapCode::place_of(program_->functions[frame.function],
                                                    program_->operands_of(*returned)[0])];
    values_.resize(frame.values);
  }
  void loop_entered(std::uint32_t) { trips_.push_back(1); }
  void loop_iterated(std::uint32_t) { ++trips_.back(); }
  /// The terms of a reduction are combined pairwise, and with the value from before the loop.
  void loop_left(std::uint32_t loop, std::uint32_t) {
    const auto steps = static_cast<Level>(std::bit_width(trips_.back()));
    trips_.pop_back();
    if (!is_in_kernel_) return;
    for (const std::uint32_t place : code_.results_of(loop)) {
      Level& level = values_[frames_.back().values + place];
      level = level > highest_ - steps ? highest_ : level + steps;
      if (level > base_) levels_.add(level - base_, 0);
    }
  }

  void ran(std::uint32_t index, const Word* words, std::uint32_t before) {
    const AsapBlock& block = code_.blocks[index];
    Level* const values = values_.data() + frames_.back().values;
    if (block.phis > 0) phis(block, before, values);
    if (!is_in_kernel_) return operations<false>(block, words, values);
    note_known(index, 1);
    operations<true>(block, words, values);
  }
  void repeated(const Run& run) {
    constexpr std::uint64_t kAtOnce = 1 << 20;  // bounds the levels that may be added
    for (std::uint64_t from = 0; from < run.times; from += kAtOnce) {
      const Run part = run.part(from, std::min(kAtOnce, run.times - from));
      if (!is_in_kernel_ || !run_->can_add(part) || run_->most_levels(part) >= levels_left()) {
        flow_.repeat_one_by_one(part, *this);
        continue;
      }
      note_known(part.block, part.times);
      trips_.back() += part.times;
      run_->add(part, {values_.data() + frames_.back().values, base_, &memory_, &levels_});
    }
  }

 private:
  struct Addresses {   // of a load
    Word address = 0;  // the last one
    Word stride = 0;   // from the one before
  };
  struct Frame {
    std::size_t values = 0;  // where the frame's values (see AsapOp) begin in values_
    std::uint32_t function = 0;
    std::size_t result = kNowhere;  // place of the call's result in values_
  };
  static constexpr std::size_t kNowhere = ~std::size_t{0};
  struct Found {
    Parallelism parallelism;                             // without its widths
    std::map<std::uint64_t, Parallelism::Width> widths;  // by `from`; the bins of a LogHistogram
    std::uint64_t unforeseen = 0;

    void ended() {}
    void add(const Found& other, std::uint64_t times) {
      const Parallelism& more = other.parallelism;
      parallelism.depth += times * more.depth;
      parallelism.operations += times * more.operations;
      unforeseen += times * other.unforeseen;
      parallelism.levels_per_row = std::max(parallelism.levels_per_row, more.levels_per_row);
      if (parallelism.profile.empty()) parallelism.profile = more.profile;
      for (const auto& [from, width] : other.widths) {
        Parallelism::Width& sum = widths[from];
        sum.from = width.from;
        sum.to = width.to;
        sum.levels += times * width.levels;
        sum.operations += times * width.operations;
      }
    }
  };

  /// Executes the phis of a block. Reads the values of all phis before it writes any result,
  /// because the phis of a block take effect at the same time.
  void phis(const AsapBlock& block, std::uint32_t before, Level* values) {
    const auto all = code_.phis_of(block);
    incoming_.clear();
    for (const AsapPhi& phi : all) {
      Level level = 0;
      for (std::uint32_t k = phi.first_pair; k < phi.first_pair + phi.pairs; ++k)
        if (code_.pairs[k].block == before) level = values[code_.pairs[k].place];
      incoming_.push_back(level);
    }
    for (std::size_t p = 0; p < all.size(); ++p) values[all[p].result] = incoming_[p];
  }

  /// Outside kernels, operations only pass on the levels of their operands and are not counted.
  template <bool kCounts>
  void operations(const AsapBlock& block, const Word* words, Level* values) {
    const Level base = kCounts ? base_ : 0;
    for (const AsapOp& op : code_.ops_of(block)) {
      Level ready = kCounts ? base + op.floor : 0;
      const std::uint32_t* place = code_.places.data() + op.first_operand;
      for (std::uint32_t k = op.operands; k > 0; --k) ready = std::max(ready, values[*place++]);
      const auto run = [&] {
        if (kCounts && op.counts) ready = counted(ready, op.lanes);
      };
      const auto wait_for_carried = [&] {
        const std::uint32_t* at = code_.places.data() + op.first_carried();
        for (std::uint32_t k = op.carried; k > 0; --k) ready = std::max(ready, values[*at++]);
      };
      const Word* const word = words + op.word;
      switch (op.kind) {
        case AsapOp::kPass:
        case AsapOp::kSet:
          break;
        case AsapOp::kRun:
          run();
          break;
        case AsapOp::kMultiplyAdd:
          run();
          if (kCounts) ready = std::max(ready, base + op.addend_floor);
          if (op.addends != 0) ready = std::max(ready, values[*place]);
          run();
          break;
        case AsapOp::kLoad:
        case AsapOp::kAtomic:
          if (!op.is_data_late) ready = read(word[0], op.bytes, ready);
          run();
          if (kCounts && Operations::kFindsUnforeseen) note_address(op, word[0], ready);
          if (op.is_data_late) ready = read(word[0], op.bytes, ready);
          if (op.kind == AsapOp::kAtomic) write(word[0], op.bytes, ready);
          break;
        case AsapOp::kStore:
          run();
          wait_for_carried();
          write(word[0], op.bytes, ready);
          break;
        case AsapOp::kFill:
          run();
          write(word[0], word[1], ready);
          break;
        case AsapOp::kCopy:
          ready = read(word[1], word[2], ready);
          run();
          write(word[0], word[2], ready);
          break;
      }
      wait_for_carried();
      values[op.result] = ready;
    }
  }

  /// Notes a load whose address depends on other loads and is not foreseen: it does not go on with
  /// the stride of the last two executions.
  void note_address(const AsapOp& op, Word address, Level level) {
    if (level <= base_ + 1) return;
    const auto index = static_cast<std::size_t>(&op - code_.ops.data());
    if (index >= addresses_.size()) addresses_.resize(code_.ops.size());
    Addresses& last = addresses_[index];
    const Word stride = address - last.address;
    if (stride != last.stride) unforeseen_.add(level - base_, op.lanes);
    last = {address, stride};
  }

  /// Puts an operation one level above the highest level of the values that it waits for. A value
  /// counts as being at least at level base_, because lower levels belong to earlier invocations.
  Level counted(Level ready, std::uint32_t lanes) {
    if (ready >= highest_)
      is_cut_ = true;
    else
      ++ready;
    levels_.add(ready - base_, lanes);
    return ready;
  }

  Level read(Word address, Word bytes, Level ready) {
    memory_.each_read(address, bytes, [&](Level level) { ready = std::max(ready, level); });
    return ready;
  }
  void write(Word address, Word bytes, Level ready) {
    memory_.each(address, bytes, [&](Level& level) { level = ready; });
  }

  /// How many levels may still be added without exceeding the highest level.
  std::uint64_t levels_left() const {
    const std::uint64_t used = base_ + levels_.depth() + kMostKnownLevel;
    return used >= highest_ ? 0 : highest_ - used;
  }

  /// Records executions of a block. add_known() computes from them how many of the block's
  /// operations ran at known levels.
  void note_known(std::uint32_t block, std::uint64_t times) {
    if (code_.blocks[block].known == 0) return;
    if (executions_[block] == 0) ran_.push_back(block);
    executions_[block] += times;
  }
  void add_known() {
    for (const std::uint32_t block : ran_) {
      for (const AsapKnown& known : code_.known_of(code_.blocks[block]))
        levels_.add(known.level, executions_[block] * known.operations);
      executions_[block] = 0;
    }
    ran_.clear();
  }

  /// Of a longest chain of loads, those with addresses that are not foreseen: the sum of their
  /// shares of the loads over the levels.
  std::uint64_t unforeseen() {
    if (levels_.depth() == 0 || unforeseen_.depth() == 0) return 0;
    unforeseen_.add(levels_.depth(), 0);  // so that both have the same levels in a row
    double sum = 0;
    std::uint64_t row = 0;
    levels_.each([&](std::uint64_t operations, std::uint64_t levels) {
      if (operations > 0)
        sum += static_cast<double>(levels) * static_cast<double>(unforeseen_.operations_of(row)) /
               static_cast<double>(operations);
      ++row;
    });
    unforeseen_.clear();
    return static_cast<std::uint64_t>(std::llround(sum));
  }

  void close() {
    add_known();
    Found found;
    if (Operations::kFindsUnforeseen) found.unforeseen = unforeseen();
    Parallelism& p = found.parallelism;
    p.depth = levels_.depth();
    p.operations = levels_.operations();
    p.levels_per_row = levels_.levels_per_row();
    LogHistogram widths;
    std::uint64_t same = 0, of_same = 0;  // successive levels with the same number of operations
    levels_.each([&](std::uint64_t operations, std::uint64_t levels) {
      if (levels == 1 && (same == operations || of_same == 0)) {
        same = operations;
        ++of_same;
        return;
      }
      if (of_same > 0) widths.add(same, of_same);
      same = operations;
      of_same = levels == 1 ? 1 : 0;
      if (levels == 1) return;
      // This row of levels_ stands for several levels; its operations are distributed evenly over
      // them.
      const std::uint64_t wider = operations % levels;
      widths.add(operations / levels, levels - wider);
      if (wider > 0) widths.add(operations / levels + 1, wider);
    });
    if (of_same > 0) widths.add(same, of_same);
    for (const LogHistogram::Bin& bin : widths.bins())
      found.widths[bin.from] = {bin.from, bin.to, bin.count, bin.sum};
    if (kernels_.is_first_invocation()) p.profile = profile();
    kernels_.running()->add(found, 1);
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
  AsapCode code_;
  std::optional<AsapRun> run_;
  Flow flow_;
  OneThread thread_;
  PerInvocation<Found> kernels_;
  bool is_in_kernel_ = false;
  std::vector<Frame> frames_;
  std::vector<Level> values_;
  std::vector<std::uint64_t> trips_;  // so far, of the loops that the thread is in
  WorkItems<std::vector<Flow::Frame>, std::vector<Frame>, std::vector<Level>,
            std::vector<std::uint64_t>>
      items_;
  std::vector<Level> incoming_;
  std::vector<std::uint64_t> executions_;  // in this invocation, of blocks with known levels
  std::vector<std::uint32_t> ran_;         // blocks that have executions_
  Shadow<Level> memory_{2};
  LevelCounts levels_;
  LevelCounts unforeseen_;            // loads, by level
  std::vector<Addresses> addresses_;  // by AsapOp
  Level base_ = 0;
};

}  // namespace

std::unique_ptr<Analyser> make_asap_of_floating_point(std::uint32_t highest) {
  return std::make_unique<Asap<FloatingPoint>>(highest);
}
std::unique_ptr<Analyser> make_asap_of_all_operations(std::uint32_t highest) {
  return std::make_unique<Asap<AllOperations>>(highest);
}

std::unique_ptr<Analyser> make_load_chain(std::uint32_t highest) {
  return std::make_unique<Asap<Loads>>(highest);
}

}  // namespace apmt::kernels
