#include "profiler/reader/fold_times.h"

#include <algorithm>

#include "profiler/reader/fold_details.h"

namespace apmt {
namespace {

/// CPU time of the main stage. If the rank is still running or was killed, the recording does not
/// have this time. Then it is computed from the samples if they come from a clock; otherwise it is
/// 0.
double main_cpu_s(const RawRecording& raw) {
  if (raw.header.main_cpu_ns >= 0 || raw.header.sample_source == format::SampleSource::kHardware)
    return seconds(raw.header.main_cpu_ns);
  std::uint64_t samples = 0;
  for (const format::Sample& sample : raw.samples)
    if (format::sample_stage(sample.key) == format::Stage::kMain) samples += sample.counts[0];
  return static_cast<double>(samples) * static_cast<double>(raw.header.events[0].period) * 1e-9;
}

}  // namespace

double seconds(std::int64_t ns) {
  return static_cast<double>(std::max<std::int64_t>(ns, 0)) * 1e-9;
}

void fold_times(const std::vector<RawRecording>& ranks, RunProfile* profile) {
  RankTimes& t = profile->times;
  for (const RawRecording& raw : ranks) {
    const format::Header& h = raw.header;
    const std::int64_t last = last_ns(h);
    const std::int64_t main_end = h.finalize_entered_ns != 0 ? h.finalize_entered_ns : last;
    t.wall_s.per_rank.push_back(seconds(last - h.start_ns));
    t.init_s.per_rank.push_back(seconds(h.init_returned_ns - h.start_ns));
    t.main_s.per_rank.push_back(seconds(main_end - h.init_returned_ns));
    t.finalize_s.per_rank.push_back(
        h.finalize_entered_ns != 0 ? seconds(last - h.finalize_entered_ns) : 0);
    t.main_cpu_s.per_rank.push_back(main_cpu_s(raw));
  }
}

}  // namespace apmt
