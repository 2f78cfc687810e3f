#include "kernels/analysers/synchronisation.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "kernels/analysers/entries.h"
#include "kernels/analysers/flow.h"
#include "kernels/analysers/idiom_facts.h"
#include "kernels/analysers/per_invocation.h"
#include "kernels/analysers/per_kernel.h"
#include "kernels/analysers/run_accesses.h"
#include "kernels/analysers/shadow.h"
#include "kernels/analysers/work_items.h"

namespace apmt::kernels {
namespace {

using Time = std::uint64_t;

/// Observations of a loop while a kernel ran.
struct Seen {
  std::uint64_t entries = 0, trips = 0, least_trips = ~std::uint64_t{0}, most_trips = 0;
  bool carries_memory = false;
  std::uint32_t read_site = kNone;                // of the first dependence
  std::map<std::uint32_t, std::uint64_t> around;  // enclosing loop -> this loop's trips inside it
  std::uint64_t* last_around = nullptr;           // the trips counted last
  std::uint32_t last_outer = kNone;               // the loop around these trips

  void add_trips(std::uint32_t outer, std::uint64_t more) {
    if (last_around == nullptr || last_outer != outer) {
      last_around = &around[outer];
      last_outer = outer;
    }
    *last_around += more;
  }

  void add(const Seen& other, std::uint64_t times) {
    entries += times * other.entries;
    trips += times * other.trips;
    least_trips = std::min(least_trips, other.least_trips);
    most_trips = std::max(most_trips, other.most_trips);
    if (!carries_memory) read_site = other.read_site;
    carries_memory |= other.carries_memory;
    for (const auto& [outer, more] : other.around) around[outer] += times * more;
  }
};
using Loops = std::map<std::uint32_t, Seen>;  // by loop

class SynchronisationAnalyser : public Analyser {
 public:
  void begin(const Program& program) override {
    program_ = &program;
    kernels_.begin(program);
    flow_.begin(program);
    for (std::size_t b = accesses_.size(); b < program.blocks.size(); ++b) {
      accesses_.emplace_back();
      for (const Instruction& i : program.code(program.blocks[b]))
        if (words_of(i.op) > 0) accesses_.back().push_back(&i - program.instructions.data());
    }
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
          if (mark == Mark::kKernelEnd)
            flow_.forget(*this);  // its loops may have been left by jumps
          kernels_.note(mark, number);
          carrying_.note(mark, number);
          if (mark == Mark::kGap) flow_.forget(*this);
          items_.note(mark, number, flow_.frames(), active_);
          if (mark == Mark::kWorkItem && kernels_.running() != nullptr)
            kernels_.running()->has_items = true;
          if (mark == Mark::kSynchronise && kernels_.running() != nullptr)
            ++kernels_.running()->annotated;
        },
        [&](const Run& run) {
          kernels_.executed(run.block, run.times);
          if (!kernels_.is_skipped()) flow_.run(run, *this);
        });
  }

  void finish(Analysis* analysis) override {
    flow_.forget(*this);
    kernels_.each_kernel([&](std::uint32_t function, const Invocations& invocations, Found& found) {
      KernelAnalysis& entry = entry_of(analysis, *program_, function, invocations);
      const Carrying& carrying = carrying_.of(function);
      for (const auto& [loop, seen] : found.loops) describe(loop, seen, found, carrying, &entry);
      Synchronisation s = count(found.loops);
      // If a kernel has work-items, all its loops run inside them, and work-items run in parallel.
      if (found.has_items) s.inside_parallel = s.by_trip_counts;
      if (found.annotated > 0) s.annotated = found.annotated;
      s.shadow_bytes = written_.bytes();
      s.is_complete = !written_.overflowed();
      entry.synchronisation = s;
    });
  }

  // Called by Flow.
  void entered(std::uint32_t, const Instruction*) {}
  void left(const Instruction*) {}
  void loop_entered(std::uint32_t loop) {
    ++clock_;
    Active active{loop, clock_, clock_, 1, nullptr};
    if (Found* kernel = kernels_.running()) active.seen = seen_of(kernel, loop);
    active_.push_back(active);
  }
  void loop_iterated(std::uint32_t) {
    active_.back().began = ++clock_;
    ++active_.back().trips;
  }
  void loop_left(std::uint32_t loop, std::uint32_t last_block) {
    Active active = active_.back();
    active_.pop_back();
    const Loop& l = program_->loops[loop];
    // The last test of a top-tested loop does not begin an iteration.
    if ((l.flags & Loop::kTopTested) != 0 && last_block == l.header) --active.trips;
    if (active.seen == nullptr) return;
    Seen& seen = *active.seen;
    ++seen.entries;
    seen.trips += active.trips;
    seen.least_trips = std::min(seen.least_trips, active.trips);
    seen.most_trips = std::max(seen.most_trips, active.trips);
    const bool is_inside = !active_.empty() && active_.back().seen != nullptr;
    seen.add_trips(is_inside ? active_.back().loop : kNone, active.trips);
  }
  void ran(std::uint32_t index, const Word* words, std::uint32_t) {
    Found* kernel = kernels_.running();
    const std::uint32_t around = active_.empty() ? kNone : active_.back().loop;
    if (kernel != nullptr) kernel->mix.ran(*program_, index, around);
    for (const std::ptrdiff_t at : accesses_[index]) {
      const Instruction& i = program_->instructions[static_cast<std::size_t>(at)];
      switch (i.op) {
        case OpClass::kLoad:
          read(words[0], i.bytes, i);
          break;
        case OpClass::kStore:
          write(words[0], i.bytes);
          break;
        case OpClass::kAtomic:
          read(words[0], i.bytes, i);
          write(words[0], i.bytes);
          break;
        case OpClass::kCopyMemory:
          read(words[1], words[2], i);
          write(words[0], words[2]);
          if (kernel != nullptr) kernel->mix.moved(*program_, index, around, words[2], words[2]);
          break;
        default:
          write(words[0], words[1]);
          if (kernel != nullptr) kernel->mix.moved(*program_, index, around, 0, words[1]);
      }
      words += words_of(i.op);
    }
  }
  /// If the iterations of a run are independent, they read only what was written before the loop
  /// was entered, and what they write is read only after the loop was left. So it does not matter
  /// which iteration wrote it, and all writes can get the time of the last iteration.
  void repeated(const Run& run) {
    if (run.times < kFewestTogether || kernels_.running() == nullptr)
      return flow_.repeat_one_by_one(run, *this);
    RunAccesses& accesses = run_accesses_;
    accesses.read(*program_, run.up_to_here());
    if (!accesses.are_independent()) return flow_.repeat_one_by_one(run, *this);
    Active& loop = active_.back();
    carried_.clear();
    for (const RunAccess& access : accesses)
      if (access.reads) find_carried(run, access, &carried_);
    std::sort(carried_.begin(), carried_.end());
    for (const Carried& first : carried_) carried(first.time, *first.access->instruction);
    clock_ += run.times;
    loop.trips += run.times;
    loop.began = clock_;
    for (const RunAccess& access : accesses)
      if (access.writes)
        each_row_of(written_, access, run.address(access.word), run.times,
                    [&](std::span<Time> rows) { std::fill(rows.begin(), rows.end(), clock_); });
    kernels_.running()->mix.ran(*program_, run.block, loop.loop, run.times);
  }

 private:
  static constexpr std::uint64_t kFewestTogether = 8;

  /// An access of a run, with the first execution in which it reads what an earlier iteration of an
  /// outer loop wrote (at `time`).
  struct Carried {
    std::uint64_t execution;
    const RunAccess* access;
    Time time;
    bool operator<(const Carried& other) const {
      return std::tie(execution, access->word) < std::tie(other.execution, other.access->word);
    }
  };

  struct Active {  // a loop that the thread is in
    std::uint32_t loop;
    Time entered, began;  // began: the start of the current iteration
    std::uint64_t trips;
    Seen* seen;  // nullptr: outside kernels
  };
  struct Found {
    Loops loops;
    std::uint64_t annotated = 0;
    bool has_items = false;
    std::vector<Seen*> seen;  // by loop, as far as it was entered
    LoopMix mix;

    void ended() {
      seen = {};
      mix.compress();
    }
    void add(const Found& other, std::uint64_t times) {
      for (const auto& [loop, more] : other.loops) loops[loop].add(more, times);
      annotated += times * other.annotated;
      has_items |= other.has_items;
      mix.add(other.mix, times);
    }
  };

  /// By instruction: the loops in which it read what an earlier iteration wrote, in any invocation.
  using Carrying = std::vector<std::vector<std::uint32_t>>;

  Seen* seen_of(Found* kernel, std::uint32_t loop) {
    if (loop >= kernel->seen.size()) kernel->seen.resize(program_->loops.size());
    Seen*& seen = kernel->seen[loop];
    if (seen == nullptr) seen = &kernel->loops[loop];
    return seen;
  }

  void write(Word address, Word bytes) {
    written_.each(address, bytes, [&](Time& time) { time = clock_; });
  }
  void read(Word address, Word bytes, const Instruction& i) {
    if (active_.empty()) return;
    const Time now = active_.back().began;
    written_.each_read(address, bytes, [&](Time time) {
      if (time < now && time != 0) carried(time, i);
    });
  }

  void find_carried(const Run& run, const RunAccess& access, std::vector<Carried>* found) {
    bool is_written = false, is_known = false;  // whether any of the data was ever written
    for (std::size_t d = 0; d + 1 < active_.size(); ++d) {
      const Active& outer = active_[d];
      if (outer.entered == outer.began || outer.seen == nullptr ||
          is_settled(outer.loop, *access.instruction))
        continue;
      const auto is_carried = [&](Time time) {
        return time - outer.entered < outer.began - outer.entered;
      };
      if (!is_known) is_written = is_any_written(run, access);
      is_known = true;
      if (!is_written) return;
      bool is_any = false;
      each_row_read_by(written_, access, run.address(access.word), run.times,
                       [&](const auto& rows) {
                         for (const Time time : rows) is_any |= is_carried(time);
                       });
      for (std::uint64_t i = 0; is_any && i < run.times; ++i)
        written_.each_read(run.address(access.word, i), access.bytes, [&](Time time) {
          if (!is_any || !is_carried(time)) return;
          found->push_back({i, &access, time});
          is_any = false;
        });
    }
  }
  bool is_any_written(const Run& run, const RunAccess& access) {
    Time any = 0;
    each_row_read_by(written_, access, run.address(access.word), run.times, [&](const auto& rows) {
      for (const Time time : rows) any |= time;
    });
    return any != 0;
  }
  /// Whether nothing is left to find out: the instruction is already known to read what an earlier
  /// iteration of the loop wrote, or its value is an induction or a reduction (kernels::Excepted).
  bool is_settled(std::uint32_t loop, const Instruction& i) {
    for (const Excepted& e : program_->excepted_of(program_->loops[loop]))
      if (e.slot == i.result) return true;
    return is_among(carrying_of(i), loop);
  }

  /// Handles a read of data written at `time`, before the current iteration of the innermost loop.
  void carried(Time time, const Instruction& i) {
    for (std::size_t d = active_.size(); d-- > 0;) {
      const Active& loop = active_[d];
      if (time >= loop.began) return;  // written in this iteration, before the inner loop began
      if (time < loop.entered) continue;
      if (loop.seen == nullptr || kernels_.running() == nullptr) return;
      std::vector<std::uint32_t>& carrying = carrying_of(i);
      if (is_settled(loop.loop, i)) return;
      carrying.push_back(loop.loop);
      if (loop.seen->carries_memory) return;
      loop.seen->carries_memory = true;
      loop.seen->read_site = i.site;
      return;
    }
  }

  std::vector<std::uint32_t>& carrying_of(const Instruction& i) {
    Carrying& all = *carrying_.running();
    if (all.size() < program_->instructions.size()) all.resize(program_->instructions.size());
    return all[static_cast<std::size_t>(&i - program_->instructions.data())];
  }
  static bool is_among(const std::vector<std::uint32_t>& loops, std::uint32_t loop) {
    return std::find(loops.begin(), loops.end(), loop) != loops.end();
  }

  /// The first phi of the header that is neither an induction nor a reduction (kernels::Excepted),
  /// and so makes the loop sequential; nullptr: none.
  const Instruction* carried_phi(const Loop& loop) const {
    for (const Instruction& i : program_->code(program_->blocks[loop.header])) {
      if (i.op != OpClass::kPhi) break;
      bool is_excepted = false;
      for (const Excepted& e : program_->excepted_of(loop)) is_excepted |= e.slot == i.result;
      if (!is_excepted) return &i;
    }
    return nullptr;
  }

  Verdict verdict(std::uint32_t loop, const Seen& seen) const {
    const Loop& l = program_->loops[loop];
    if (l.annotation == Loop::kParallel) return Verdict::kParallel;
    if (l.annotation == Loop::kSequential) return Verdict::kSequential;
    if (seen.most_trips < 2) return Verdict::kSingle;
    return seen.carries_memory || carried_phi(l) != nullptr ? Verdict::kSequential
                                                            : Verdict::kParallel;
  }

  void describe(std::uint32_t loop, const Seen& seen, const Found& found, const Carrying& carrying,
                KernelAnalysis* kernel) const {
    LoopFacts& facts = loop_of(kernel, *program_, loop);
    const Loop& l = program_->loops[loop];
    facts.entries = seen.entries;
    facts.trips = seen.trips;
    facts.least_trips = seen.entries == 0 ? 0 : seen.least_trips;
    facts.most_trips = seen.most_trips;
    facts.verdict = verdict(loop, seen);
    std::uint32_t site = kNone;
    if (l.annotation != Loop::kUnsaid) {
      facts.because = "annotation";
    } else if (facts.verdict == Verdict::kSequential) {
      facts.because = seen.carries_memory ? "memory" : "register";
      site = seen.carries_memory ? seen.read_site : carried_phi(l)->site;
    }
    if (site != kNone) facts.because_line = program_->sites[site].line;
    facts.depth = flow_.depth_of(loop);
    facts.mix = found.mix.mix(*program_, loop);
    facts.idioms = idioms_of(
        *program_, loop, found.mix,
        {.of = [&](std::uint32_t i,
                   std::uint32_t of) { return i < carrying.size() && is_among(carrying[i], of); },
         .any =
             [&](std::uint32_t of) {
               const auto at = found.loops.find(of);
               return at != found.loops.end() && at->second.carries_memory;
             }});
  }

  /// Adds up the trips of the sequential loops that have a parallel loop inside and no other
  /// sequential loop in between. If such a loop was entered from several surrounding loops (through
  /// calls), its trip counts in all of them are added. Trips inside a parallel loop are also
  /// counted separately.
  Synchronisation count(const Loops& loops) const {
    Synchronisation s;
    std::map<std::uint32_t, bool> waits;  // sequential loops that have a parallel one inside
    for (const auto& [loop, seen] : loops)
      if (verdict(loop, seen) == Verdict::kParallel)
        for (const auto& [outer, trips] : seen.around) mark_waiting(loops, outer, &waits, 0);
    for (const auto& [loop, is_waiting] : waits) {
      const Seen& seen = loops.at(loop);
      for (const auto& [outer, trips] : seen.around) {
        s.by_trip_counts += trips;
        if (is_inside_parallel(loops, outer, 0)) s.inside_parallel += trips;
      }
    }
    return s;
  }
  static constexpr int kDeepest = 64;  // a limit, because recursion can put a loop inside itself

  void mark_waiting(const Loops& loops, std::uint32_t loop, std::map<std::uint32_t, bool>* waits,
                    int depth) const {
    const auto at = loops.find(loop);
    if (at == loops.end() || depth > kDeepest) return;
    switch (verdict(loop, at->second)) {
      case Verdict::kSequential:
        (*waits)[loop] = true;
        return;
      case Verdict::kParallel:  // count() marks the loops around it
        return;
      case Verdict::kSingle:
        for (const auto& [outer, trips] : at->second.around)
          mark_waiting(loops, outer, waits, depth + 1);
    }
  }
  bool is_inside_parallel(const Loops& loops, std::uint32_t loop, int depth) const {
    const auto at = loops.find(loop);
    if (at == loops.end() || depth > kDeepest) return false;
    if (verdict(loop, at->second) == Verdict::kParallel) return true;
    for (const auto& [outer, trips] : at->second.around)
      if (is_inside_parallel(loops, outer, depth + 1)) return true;
    return false;
  }

  const Program* program_ = nullptr;
  Flow flow_;
  OneThread thread_;
  std::vector<std::vector<std::ptrdiff_t>> accesses_;  // by block: its memory instructions
  PerInvocation<Found> kernels_;
  PerKernel<Carrying> carrying_;
  std::vector<Active> active_;
  RunAccesses run_accesses_;
  std::vector<Carried> carried_;
  WorkItems<std::vector<Flow::Frame>, std::vector<Active>> items_;
  Shadow<Time> written_{2};
  Time clock_ = 1;
};

}  // namespace

std::unique_ptr<Analyser> make_synchronisation() {
  return std::make_unique<SynchronisationAnalyser>();
}

}  // namespace apmt::kernels
