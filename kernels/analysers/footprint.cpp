#include "kernels/analysers/footprint.h"

#include <array>
#include <memory>
#include <vector>

#include "kernels/analysers/accesses.h"
#include "kernels/analysers/distinct_sketch.h"
#include "kernels/analysers/entries.h"
#include "kernels/analysers/per_kernel.h"
#include "kernels/analysers/run_accesses.h"

namespace apmt::kernels {
namespace {

class Footprint : public Analyser {
 public:
  void begin(const Program& program) override {
    program_ = &program;
    accesses_.begin(program);
    recent_.fill(kNothing);
  }

  void consume(unsigned, std::span<const Word> words) override {
    for_each_event(
        *program_, words,
        [&](std::uint32_t block, const Word* more) {
          DistinctSketch* lines = sketch(block);
          if (lines == nullptr) return;
          const std::uint64_t loop = program_->blocks[block].loop;
          accesses_.each(block, more, [&](Word address, Word bytes, bool, bool, bool) {
            add(address, bytes, loop, lines);
          });
        },
        [&](Mark mark, std::uint64_t number) {
          kernels_.note(mark, number);
          if (mark == Mark::kKernelBegin || mark == Mark::kKernelSkipped) recent_.fill(kNothing);
        },
        [&](const Run& run) {
          if (DistinctSketch* lines = sketch(run.block))
            add(run, program_->blocks[run.block].loop, lines);
        });
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

  /// The sketch of the loop to which a block belongs; nullptr: it is in no loop or accesses no
  /// memory, or no kernel is running.
  DistinctSketch* sketch(std::uint32_t block) {
    const std::uint32_t loop = program_->blocks[block].loop;
    if (loop == kNone || kernels_.running() == nullptr || !accesses_.any(block)) return nullptr;
    Sketches& sketches = *kernels_.running();
    if (loop >= sketches.size()) sketches.resize(program_->loops.size());
    if (!sketches[loop]) sketches[loop] = std::make_unique<DistinctSketch>();
    return sketches[loop].get();
  }

  void add(Word address, Word bytes, std::uint64_t loop, DistinctSketch* lines) {
    if (bytes == 0) return;
    for (Word line = address / kLineBytes; line <= (address + bytes - 1) / kLineBytes; ++line) {
      std::uint64_t& recent = recent_[line % recent_.size()];
      const std::uint64_t key = loop << kLineBits | line;
      if (recent == key) continue;  // adding it again changes nothing
      recent = key;
      lines->add(line);
    }
  }
  /// Adds the lines that a run touches. An access with a stride of at most one line touches all
  /// lines between its lowest and its highest address.
  void add(const Run& run, std::uint64_t loop, DistinctSketch* lines) {
    run_accesses_.read(*program_, run);
    for (const RunAccess& a : run_accesses_) {
      if (static_cast<Word>(std::abs(a.stride)) <= kLineBytes)
        add(a.begin, a.bytes == 0 ? 0 : a.end - a.begin, loop, lines);
      else
        for (std::uint64_t i = 0; i < run.times; ++i)
          add(run.address(a.word, i), a.bytes, loop, lines);
    }
  }

  const Program* program_ = nullptr;
  Accesses accesses_;
  RunAccesses run_accesses_;
  // The cache lines that were added last, with their loops: adding them again would be slow and
  // useless.
  static constexpr unsigned kLineBits = 47 - 6;
  static constexpr std::uint64_t kNothing = ~std::uint64_t{0};
  std::array<std::uint64_t, 256> recent_;
  PerKernel<Sketches> kernels_;
};

}  // namespace

std::unique_ptr<Analyser> make_footprint() { return std::make_unique<Footprint>(); }

}  // namespace apmt::kernels
