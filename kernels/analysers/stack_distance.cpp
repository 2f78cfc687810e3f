#include "kernels/analysers/stack_distance.h"

#include <algorithm>
#include <compare>

#include "kernels/analysers/accesses.h"
#include "kernels/analysers/entries.h"
#include "kernels/analysers/log_histogram.h"
#include "kernels/analysers/lru_stack.h"
#include "kernels/analysers/per_kernel.h"
#include "kernels/analysers/run_accesses.h"

namespace apmt::kernels {
namespace {

static_assert(kLineBytes == 1 << LruStack::kLineLog2);

class StackDistance : public Analyser {
 public:
  explicit StackDistance(unsigned sample_log2)
      : sample_log2_(sample_log2), sample_mask_((std::uint64_t{1} << sample_log2) - 1) {}

  void begin(const Program& program) override {
    program_ = &program;
    accesses_.begin(program);
  }

  void consume(unsigned thread, std::span<const Word> words) override {
    if (!thread_.follows(thread, words)) return;
    Counts* counts = running();
    const auto block = [&](std::uint32_t index, const Word* more) {
      accesses_.each(index, more, [&](Word address, Word bytes, bool, bool, bool) {
        each_line(address, bytes, [&](Word line) { access(line, counts); });
      });
    };
    for_each_event(
        *program_, words, block,
        [&](Mark mark, std::uint64_t number) {
          kernels_.note(mark, number);
          counts = running();
        },
        [&](const Run& run) {
          run_accesses_.read(*program_, run);
          if (sample_log2_ > 0)
            sample_in_parts(run, counts);
          else if (run_accesses_.size() > kMostTogether)
            for_each_execution(run, block);
          else
            follow_all(run, counts);
        });
  }

  void finish(Analysis* analysis) override {
    for (const auto& kernel : kernels_) {
      const Counts& counts = kernel.found;
      const auto scale = static_cast<double>(sample_mask_ + 1);
      Locality l;
      l.line_bytes = kLineBytes;
      l.one_line_of = sample_mask_ + 1;
      l.accesses = static_cast<double>(counts.accesses);
      l.cold = static_cast<double>(counts.cold) * scale;
      for (const LogHistogram::Bin& bin : counts.distances.bins())
        l.distances.push_back({bin.from << sample_log2_, ((bin.to + 1) << sample_log2_) - 1,
                               static_cast<double>(bin.count) * scale});
      l.memory_bytes = stack_.bytes();
      l.is_complete = stack_.is_complete();
      KernelAnalysis& entry = entry_of(analysis, *program_, kernel.function, kernel.invocations);
      (sample_log2_ == 0 ? entry.locality : entry.sampled_locality) = std::move(l);
    }
  }

 private:
  struct Counts {
    std::uint64_t accesses = 0, cold = 0;
    LogHistogram distances;  // among the followed lines
  };

  Counts* running() { return kernels_.running() == nullptr ? &outside_ : kernels_.running(); }

  template <class Visit>
  static void each_line(Word address, Word bytes, const Visit& visit) {
    if (bytes == 0) return;
    for (Word line = address / kLineBytes; line <= (address + bytes - 1) / kLineBytes; ++line)
      visit(line);
  }

  bool is_followed(Word line) const {
    return (line * 0x9e3779b97f4a7c15u >> 40 & sample_mask_) == 0;
  }

  /// An access to a followed cache line, made while a block was executed many times in a row (a
  /// run, see events.h). The order of the fields matters: sorted accesses are in the order in which
  /// the program made them.
  struct Followed {
    std::uint64_t execution;
    std::uint32_t word;
    Word line;
    auto operator<=>(const Followed&) const = default;
  };

  /// Calls sample() for parts of a run, to limit the memory for followed accesses: a run may have
  /// any number of executions.
  void sample_in_parts(const Run& run, Counts* counts) {
    constexpr std::uint64_t kExecutionsAtOnce = 4096;
    for (std::uint64_t from = 0; from < run.times; from += kExecutionsAtOnce)
      sample(run.part(from, std::min(kExecutionsAtOnce, run.times - from)), counts);
  }

  /// Counts a run (a block that is executed many times in a row, events.h) if only a sample of the
  /// cache lines is followed. An access with a small stride stays in one line for several
  /// executions, so whether this line is in the sample is tested once for all of them.
  void sample(const Run& run, Counts* counts) {
    followed_.clear();
    for (const RunAccess& a : run_accesses_) {
      std::uint64_t next = 0;
      while (next < run.times) {
        const Word address = run.address(a.word, next);
        const std::uint64_t same = std::min(executions_within_line(a, address), run.times - next);
        each_line(address, a.bytes, [&](Word line) {
          counts->accesses += same;
          if (!is_followed(line)) return;
          for (std::uint64_t i = next; i < next + same; ++i) followed_.push_back({i, a.word, line});
        });
        next += same;
      }
    }
    std::sort(followed_.begin(), followed_.end());
    for (const Followed& f : followed_) follow(f.line, counts);
  }

  /// How many successive executions, beginning with the one at `address`, touch the same lines.
  static std::uint64_t executions_within_line(const RunAccess& a, Word address) {
    const Word within = address % kLineBytes;
    if (a.stride == 0) return ~std::uint64_t{0};
    if (within + a.bytes > kLineBytes) return 1;
    const auto step = static_cast<Word>(std::abs(a.stride));
    const Word left = a.stride > 0 ? kLineBytes - a.bytes - within : within;
    // Strides of 8 and 4 bytes are frequent; for them the slow general division is avoided.
    if (step == 8) return left / 8 + 1;
    if (step == 4) return left / 4 + 1;
    return left < step ? 1 : left / step + 1;
  }

  /// Finds the exact distances of a run. As long as all accesses stay within their lines, every
  /// execution after the first has the same distances and leaves the stack as it was.
  void follow_all(const Run& run, Counts* counts) {
    std::uint64_t next = 0;
    while (next < run.times) {
      std::uint64_t same = run.times - next;
      lines_.clear();
      for (const RunAccess& a : run_accesses_) {
        const Word address = run.address(a.word, next);
        same = std::min(same, executions_within_line(a, address));
        each_line(address, a.bytes, [&](Word line) { lines_.push_back(line); });
      }
      if (lines_.empty()) return;
      for (const Word line : lines_) access(line, counts);
      if (same > 1) repeat(same - 1, counts);
      next += same;
    }
  }
  /// Counts the distances if the same lines are accessed `times` more times, in the same order. The
  /// distance of an access is then the number of different lines accessed since the last access to
  /// its line.
  void repeat(std::uint64_t times, Counts* counts) {
    const std::size_t n = lines_.size();
    counts->accesses += times * n;
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t distance = 0;
      std::size_t between = (i + n - 1) % n;
      for (; lines_[between] != lines_[i]; between = (between + n - 1) % n)
        distance += is_last_before(between, i);
      counts->distances.add(distance, times);
    }
  }
  /// Whether the access `at` is the last one to its line before `end`, in circular order.
  bool is_last_before(std::size_t at, std::size_t end) const {
    const std::size_t n = lines_.size();
    for (std::size_t k = (at + 1) % n; k != end; k = (k + 1) % n)
      if (lines_[k] == lines_[at]) return false;
    return true;
  }

  void access(Word line, Counts* counts) {
    ++counts->accesses;
    if (is_followed(line)) follow(line, counts);
  }
  void follow(Word line, Counts* counts) {
    if (line == last_line_) {  // at the top of the stack
      counts->distances.add(0);
      return;
    }
    last_line_ = line;
    const std::uint64_t distance = stack_.access(line * kLineBytes);
    if (distance == LruStack::kCold)
      ++counts->cold;
    else
      counts->distances.add(distance);
  }

  static constexpr std::size_t kMostTogether = 16;

  unsigned sample_log2_;
  std::uint64_t sample_mask_;
  const Program* program_ = nullptr;
  Accesses accesses_;
  OneThread thread_;
  LruStack stack_;
  RunAccesses run_accesses_;
  std::vector<Followed> followed_;
  std::vector<Word> lines_;  // of one execution, in order
  std::uint64_t last_line_ = ~std::uint64_t{0};
  PerKernel<Counts> kernels_;
  Counts outside_;
};

}  // namespace

std::unique_ptr<Analyser> make_stack_distance(unsigned sample_log2) {
  return std::make_unique<StackDistance>(sample_log2);
}

}  // namespace apmt::kernels
