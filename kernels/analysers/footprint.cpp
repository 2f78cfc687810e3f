#include "kernels/analysers/footprint.h"

#include <memory>
#include <vector>

#include "kernels/analysers/accesses.h"
#include "kernels/analysers/distinct_sketch.h"
#include "kernels/analysers/entries.h"
#include "kernels/analysers/per_kernel.h"

namespace apmt::kernels {
namespace {

constexpr std::uint64_t kLineBytes = 64;

class Footprint : public Analyser {
 public:
  void begin(const Program& program) override {
    program_ = &program;
    accesses_.begin(program);
  }

  void consume(unsigned, std::span<const Word> words) override {
    for_each_event(
        *program_, words,
        [&](std::uint32_t block, const Word* more) {
          const std::uint32_t loop = program_->blocks[block].loop;
          if (loop == kNone || kernels_.running() == nullptr || !accesses_.any(block)) return;
          DistinctSketch& lines = sketch(loop);
          accesses_.each(block, more, [&](Word address, Word bytes, bool, bool, bool) {
            if (bytes == 0) return;
            for (Word line = address / kLineBytes; line <= (address + bytes - 1) / kLineBytes;
                 ++line)
              lines.add(line);
          });
        },
        [&](Mark mark, std::uint64_t number) { kernels_.note(mark, number); });
  }

  void finish(Analysis* analysis) override {
    for (const auto& kernel : kernels_) {
      KernelAnalysis& entry = entry_of(analysis, *program_, kernel.function, kernel.invocations);
      for (std::uint32_t loop = 0; loop < kernel.found.size(); ++loop)
        if (kernel.found[loop])
          loop_of(&entry, *program_, loop).footprint_bytes =
              kernel.found[loop]->estimate() * kLineBytes;
    }
  }

 private:
  using Sketches = std::vector<std::unique_ptr<DistinctSketch>>;  // by loop

  DistinctSketch& sketch(std::uint32_t loop) {
    Sketches& sketches = *kernels_.running();
    if (loop >= sketches.size()) sketches.resize(program_->loops.size());
    if (!sketches[loop]) sketches[loop] = std::make_unique<DistinctSketch>();
    return *sketches[loop];
  }

  const Program* program_ = nullptr;
  Accesses accesses_;
  PerKernel<Sketches> kernels_;
};

}  // namespace

std::unique_ptr<Analyser> make_footprint() { return std::make_unique<Footprint>(); }

}  // namespace apmt::kernels
