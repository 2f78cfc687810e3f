#include "kernels/analysers/stack_distance.h"

#include "kernels/analysers/accesses.h"
#include "kernels/analysers/entries.h"
#include "kernels/analysers/log_histogram.h"
#include "kernels/analysers/lru_stack.h"
#include "kernels/analysers/per_kernel.h"

namespace apmt::kernels {
namespace {

constexpr std::uint64_t kLineBytes = 1 << LruStack::kLineLog2;

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
    for_each_event(
        *program_, words,
        [&](std::uint32_t block, const Word* more) {
          accesses_.each(block, more, [&](Word address, Word bytes, bool, bool, bool) {
            if (bytes == 0) return;
            Word line = address / kLineBytes;
            const Word last = (address + bytes - 1) / kLineBytes;
            for (; line <= last; ++line) access(line, counts);
          });
        },
        [&](Mark mark, std::uint64_t number) {
          kernels_.note(mark, number);
          counts = running();
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

  void access(std::uint64_t line, Counts* counts) {
    ++counts->accesses;
    if ((line * 0x9e3779b97f4a7c15u >> 40 & sample_mask_) != 0) return;
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

  unsigned sample_log2_;
  std::uint64_t sample_mask_;
  const Program* program_ = nullptr;
  Accesses accesses_;
  OneThread thread_;
  LruStack stack_;
  std::uint64_t last_line_ = ~std::uint64_t{0};
  PerKernel<Counts> kernels_;
  Counts outside_;
};

}  // namespace

std::unique_ptr<Analyser> make_stack_distance(unsigned sample_log2) {
  return std::make_unique<StackDistance>(sample_log2);
}

}  // namespace apmt::kernels
