#include "kernels/analysers/aiwc.h"

#include <cmath>
#include <map>

#include "kernels/analysers/accesses.h"
#include "kernels/analysers/address_counts.h"
#include "kernels/analysers/branch_windows.h"
#include "kernels/analysers/entries.h"
#include "kernels/analysers/flow.h"
#include "kernels/analysers/log_histogram.h"
#include "kernels/analysers/per_kernel.h"
#include "kernels/analysers/run_accesses.h"

namespace apmt::kernels {
namespace {

/// In compatible mode: the largest number of accesses that are kept for a work-group.
constexpr std::size_t kMostOfGroup = std::size_t{1} << 28;

/// Statistics of instruction counts: per work-item, per part of a work-item between its barriers,
/// or per iteration of a loop.
struct Tally {
  std::uint64_t least = ~std::uint64_t{0}, most = 0;
  LogHistogram all;
  void add(std::uint64_t instructions, std::uint64_t items = 1) {
    if (items == 0) return;
    least = std::min(least, instructions);
    most = std::max(most, instructions);
    all.add(instructions, items);
  }
};

struct Found {
  Aiwc metrics;                          // iterations_as_items() is not applied yet
  std::map<std::uint32_t, Tally> loops;  // by loop: instructions per iteration
};

class AiwcAnalyser : public Analyser {
 public:
  explicit AiwcAnalyser(bool is_compatible) : is_compatible_(is_compatible) {}

  void begin(const Program& program) override {
    program_ = &program;
    flow_.begin(program);
    accesses_.begin(program);
    for (std::size_t b = ends_.size(); b < program.blocks.size(); ++b)
      ends_.push_back(program.code(program.blocks[b]).back().op);
  }

  void consume(unsigned thread, std::span<const Word> words) override {
    if (!thread_.follows(thread, words)) return;
    executions_.resize(program_->blocks.size());
    for_each_event(
        *program_, words,
        [&](std::uint32_t block, const Word* more) {
          if (is_first_) this->block(block, more);
        },
        [&](Mark mark, std::uint64_t number) { this->mark(mark, number); },
        [&](const Run& run) {
          if (is_first_) this->run(run);
        });
  }

  void finish(Analysis* analysis) override {
    for (auto& kernel : kernels_) {
      KernelAnalysis& entry = entry_of(analysis, *program_, kernel.function, kernel.invocations);
      Aiwc metrics = kernel.found.metrics;
      if (metrics.work_item == "invocation") iterations_as_items(entry, kernel.found, &metrics);
      entry.aiwc = std::move(metrics);
    }
  }

  // Called by Flow, which is used for native kernels only.
  void entered(std::uint32_t, const Instruction*) {}
  void left(const Instruction*) {}
  void loop_entered(std::uint32_t loop) {
    active_.push_back({&kernels_.running()->loops[loop], instructions_});
  }
  void loop_iterated(std::uint32_t) {
    Active& loop = active_.back();
    loop.tally->add(instructions_ - loop.began);
    loop.began = instructions_;
  }
  void loop_left(std::uint32_t loop, std::uint32_t last_block) {
    const Loop& l = program_->loops[loop];
    if ((l.flags & Loop::kTopTested) == 0 || last_block != l.header) loop_iterated(loop);
    active_.pop_back();
  }
  void ran(std::uint32_t, const Word*, std::uint32_t) {}

 private:
  struct Active {
    Tally* tally;
    std::uint64_t began;  // instructions_ at the start of its current iteration
  };
  struct Item {
    std::uint64_t instructions = 0;
    std::uint64_t since_barrier = 0;
  };

  void mark(Mark mark, std::uint64_t number) {
    if (mark == Mark::kKernelEnd && is_first_) close();
    kernels_.note(mark, number);
    is_first_ = kernels_.is_first_invocation();
    if (!is_first_) return;  // work-items of later invocations are not counted
    switch (mark) {
      case Mark::kWorkItem:
        item_ = &items_[number];
        has_items_ = true;
        break;
      case Mark::kWorkItemEnd:
        if (item_ != nullptr) end_item(item_);
        items_.erase(number);
        item_ = nullptr;
        break;
      case Mark::kWorkGroupEnd:
        keep_half();
        break;
      case Mark::kGap:
        last_ = kNone;
        flow_.forget(*this);
        break;
      default:
        break;
    }
  }

  void block(std::uint32_t index, const Word* words) {
    const std::uint32_t instructions = program_->blocks[index].instructions;
    if (last_ != kNone && ends_[last_] == OpClass::kBranch) {
      const bool is_true = program_->successors_of(program_->blocks[last_])[0] == index;
      windows(last_).add(is_true != is_compatible_);
    }
    last_ = index;
    if (!has_items_) flow_.block(index, nullptr, *this);
    ++executions_[index];
    instructions_ += instructions;
    if (item_ != nullptr) {
      item_->instructions += instructions;
      item_->since_barrier += instructions;
    }
    if (ends_[index] == OpClass::kBarrier) barrier();
    accesses_.each(index, words,
                   [&](Word address, Word bytes, bool reads, bool writes, bool range) {
                     for (Word at = 0; at < (range ? bytes : 1); at += 8)
                       access(address + at, reads, writes);
                   });
  }

  void run(const Run& run) {
    const auto one = [&](std::uint32_t index, const Word* words) { block(index, words); };
    for_each_execution(run.part(0, 1), one);
    const Run rest = run.part(1, run.times - 1);
    if (rest.times == 0) return;
    if (is_compatible_ || has_items_ || ends_[run.block] != OpClass::kBranch ||
        !flow_.can_repeat(run.block))
      return for_each_execution(rest, one);
    windows(run.block).add(program_->successors_of(program_->blocks[run.block])[0] == run.block,
                           rest.times);
    executions_[run.block] += rest.times;
    loop_iterated(kNone);
    Active& loop = active_.back();
    const std::uint64_t each = program_->blocks[run.block].instructions;
    loop.tally->add(each, rest.times - 1);
    instructions_ += each * rest.times;
    loop.began = instructions_ - each;
    run_accesses_.read(*program_, rest);
    for (const RunAccess& a : run_accesses_)
      addresses_.access(a.first, static_cast<Word>(a.stride), rest.times, a.reads, a.writes);
  }

  void barrier() {
    ++barriers_;
    if (item_ == nullptr) return;
    to_barrier_.add(item_->since_barrier);
    item_->since_barrier = 0;
  }
  void end_item(Item* item) {
    to_barrier_.add(item->since_barrier);
    per_item_.add(item->instructions);
  }

  void access(Word address, bool reads, bool writes) {
    if (!is_compatible_) {
      if (reads) addresses_.read(address);
      if (writes) addresses_.write(address);
      return;
    }
    for (const bool is_write : {false, true})
      if (is_write ? writes : reads) {
        if (group_.size() < kMostOfGroup)
          group_.push_back({static_cast<std::uint32_t>(address), is_write});
        else
          is_group_complete_ = false;
        ++(is_write ? writes_ : reads_);
      }
  }
  void keep_half() {
    for (std::size_t i = group_.size() / 2; i < group_.size(); ++i)
      group_[i].is_write ? addresses_.write(group_[i].address) : addresses_.read(group_[i].address);
    group_.clear();
  }

  /// Branches are identified by their blocks; in compatible mode by their lines.
  BranchWindows& windows(std::uint32_t block) {
    std::uint64_t key = block;
    if (is_compatible_) {
      const Instruction& branch = program_->code(program_->blocks[block]).back();
      key = branch.site == kNone ? 0 : program_->sites[branch.site].line;
    }
    if (key >= windows_.size()) windows_.resize(key + 1);
    if (!windows_[key]) windows_[key] = std::make_unique<BranchWindows>();
    return *windows_[key];
  }

  /// Computes the metrics of the invocation that ends, and resets all counts.
  void close() {
    flow_.forget(*this);
    keep_half();
    Found& found = *kernels_.running();
    Aiwc& m = found.metrics;
    static_metrics(&m);
    branch_metrics(&m);
    memory_metrics(&m);
    m.barriers = barriers_;
    m.work_item = has_items_ ? "work-item" : "invocation";
    if (!has_items_) {
      per_item_.add(instructions_);
      to_barrier_.add(instructions_);
    }
    describe_items(per_item_, to_barrier_, &m);
    m.is_compatible = is_compatible_;

    executions_.assign(executions_.size(), 0);
    windows_.clear();
    addresses_.clear();
    items_.clear();
    item_ = nullptr;
    has_items_ = false;
    is_group_complete_ = true;
    per_item_ = to_barrier_ = {};
    instructions_ = barriers_ = reads_ = writes_ = 0;
    last_ = kNone;
  }

  static void describe_items(const Tally& per_item, const Tally& to_barrier, Aiwc* m) {
    m->work_items = per_item.all.total();
    m->least_per_item = per_item.least;
    m->most_per_item = per_item.most;
    m->median_per_item = per_item.all.median();
    m->least_to_barrier = to_barrier.least;
    m->most_to_barrier = to_barrier.most;
    m->median_to_barrier = to_barrier.all.median();
  }

  void static_metrics(Aiwc* m) const {
    std::map<std::uint32_t, std::uint64_t> by_opcode;
    double lanes = 0, squares = 0;
    for (std::size_t b = 0; b < executions_.size(); ++b) {
      if (executions_[b] == 0) continue;
      const auto times = static_cast<double>(executions_[b]);
      for (const Instruction& i : program_->code(program_->blocks[b])) {
        by_opcode[i.opcode] += executions_[b];
        const std::uint64_t width = i.result == kNone ? 1 : i.lanes;
        m->most_lanes = std::max(m->most_lanes, width);
        lanes += times * static_cast<double>(width);
        squares += times * static_cast<double>(width * width);
      }
    }
    std::vector<std::uint64_t> counts;
    for (const auto& [opcode, count] : by_opcode) counts.push_back(count), m->instructions += count;
    m->opcodes = fewest_with_90_percent(std::move(counts));
    const auto all = static_cast<double>(m->instructions);
    m->mean_lanes = lanes / all;
    m->sd_lanes = std::sqrt(std::max(0.0, squares / all - m->mean_lanes * m->mean_lanes));
  }

  void branch_metrics(Aiwc* m) const {
    std::vector<std::uint64_t> outcomes;
    double linear = 0;
    std::uint64_t windows = 0;
    for (const auto& branch : windows_) {
      if (!branch) continue;
      outcomes.push_back(branch->outcomes());
      m->yokota += branch->yokota();
      linear += branch->linear_sum();
      windows += branch->windows();
    }
    m->branches = outcomes.size();
    m->branches_90 = fewest_with_90_percent(std::move(outcomes));
    m->linear = windows == 0 ? 0 : linear / static_cast<double>(windows);
  }

  void memory_metrics(Aiwc* m) {
    AddressCounts::Summary s = addresses_.summary();
    m->footprint = s.unique;
    m->footprint_90 = s.unique_90;
    m->entropy = s.entropy;
    m->local_entropies = std::move(s.local_entropies);
    m->reads = is_compatible_ ? reads_ : s.reads;
    m->writes = is_compatible_ ? writes_ : s.writes;
    m->memory_bytes = addresses_.bytes();
    m->is_complete = addresses_.is_complete() && is_group_complete_;
    if (is_compatible_) return;
    const auto ratio = [](std::uint64_t a, std::uint64_t b) {
      return b == 0 ? std::optional<double>() : static_cast<double>(a) / static_cast<double>(b);
    };
    m->unique_reads = s.unique_reads;
    m->unique_writes = s.unique_writes;
    m->unique_read_write = ratio(s.unique_reads, s.unique_writes);
    m->reread = ratio(s.unique_reads, s.reads);
    m->rewrite = ratio(s.unique_writes, s.writes);
  }

  /// Makes the iterations of one parallel loop the work-items. This is the parallel loop that
  /// executed the most instructions. A loop's count includes the loops inside it, so the chosen
  /// loop is an outermost one.
  static void iterations_as_items(const KernelAnalysis& entry, const Found& found, Aiwc* m) {
    const LoopFacts* outermost = nullptr;
    const Tally* items = nullptr;
    double most = 0;
    for (const LoopFacts& loop : entry.loops) {
      const auto at = found.loops.find(loop.id);
      if (loop.verdict != Verdict::kParallel || at == found.loops.end()) continue;
      double instructions = 0;
      for (const LogHistogram::Bin& bin : at->second.all.bins())
        instructions += static_cast<double>(bin.sum);
      if (instructions <= most) continue;
      most = instructions;
      outermost = &loop;
      items = &at->second;
    }
    if (outermost == nullptr) return;
    m->work_item = "iteration of " + outermost->file + ':' + std::to_string(outermost->line);
    describe_items(*items, *items, m);
  }

  bool is_compatible_;
  const Program* program_ = nullptr;
  Flow flow_;
  OneThread thread_;
  Accesses accesses_;
  RunAccesses run_accesses_;
  std::vector<OpClass> ends_;  // by block: its last instruction
  PerKernel<Found> kernels_;
  bool is_first_ = false;  // this is the running kernel's first invocation

  // State of the current invocation.
  std::vector<std::uint64_t> executions_;                // by block
  std::vector<std::unique_ptr<BranchWindows>> windows_;  // by block or line
  AddressCounts addresses_;
  std::vector<Active> active_;
  std::map<std::uint64_t, Item> items_;  // begun and not ended
  Item* item_ = nullptr;
  bool has_items_ = false;
  Tally per_item_, to_barrier_;
  std::uint64_t instructions_ = 0, barriers_ = 0, reads_ = 0, writes_ = 0;
  std::uint32_t last_ = kNone;  // the block entered last

  struct GroupAccess {
    std::uint32_t address;
    bool is_write;
  };
  std::vector<GroupAccess> group_;
  bool is_group_complete_ = true;
};

}  // namespace

std::unique_ptr<Analyser> make_aiwc(bool is_compatible) {
  return std::make_unique<AiwcAnalyser>(is_compatible);
}

}  // namespace apmt::kernels
