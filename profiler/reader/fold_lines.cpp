#include "profiler/reader/fold_lines.h"

#include <algorithm>
#include <numeric>

#include "profiler/reader/fold_kernels.h"

namespace apmt {
namespace {

constexpr std::size_t kMostLines = 10;

/// The number of samples if they were taken outside MPI during the main stage, otherwise 0. It is
/// the sum over all events. Such a sum has no unit, but shows in which lines most samples are.
std::uint64_t samples_of(const RawRecording& raw, const format::Sample& sample) {
  if (format::sample_op(sample.key) != 0 ||
      format::sample_stage(sample.key) != format::Stage::kMain)
    return 0;
  return std::accumulate(std::begin(sample.counts),
                         std::begin(sample.counts) + raw.header.event_count, std::uint64_t{0});
}

}  // namespace

void fold_lines(const std::vector<RawRecording>& ranks, Symbols& symbols, RunProfile* profile) {
  std::map<KernelId, std::map<Place, std::uint64_t>> places;
  for (const RawRecording& raw : ranks)
    for (const format::Sample& sample : raw.samples)
      if (const std::uint64_t samples = samples_of(raw, sample)) {
        const std::uint64_t pc = format::sample_pc(sample.key);
        const Function f = function_of(raw, symbols, pc);
        places[f.id][place_of(raw, symbols, pc)] += samples;
      }
  for (KernelProfile& kernel : profile->kernels) {
    for (const auto& [place, samples] : places[kernel.id])
      if (place.line > 0)
        kernel.lines.push_back({place.inlined, place.source, place.line, samples});
    std::stable_sort(
        kernel.lines.begin(), kernel.lines.end(),
        [](const LineProfile& a, const LineProfile& b) { return a.samples > b.samples; });
    if (kernel.lines.size() > kMostLines) kernel.lines.resize(kMostLines);
  }
}

}  // namespace apmt
