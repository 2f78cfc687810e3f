#include "profiler/reader/fold_sampling.h"

#include <algorithm>
#include <set>

namespace apmt {
namespace {

std::string source_name(format::SampleSource source) {
  switch (source) {
    case format::SampleSource::kHardware:
      return "hardware";
    case format::SampleSource::kTaskClock:
      return "task-clock";
    case format::SampleSource::kPosixTimer:
      return "posix-timer";
    case format::SampleSource::kNone:
      break;
  }
  return "none";
}

}  // namespace

void fold_sampling(const std::vector<RawRecording>& ranks, RunProfile* profile) {
  Sampling& s = profile->sampling;
  s.source = source_name(ranks.front().header.sample_source);
  std::set<std::string> events;
  for (const RawRecording& raw : ranks)
    if (const auto it = raw.text.find("event"); it != raw.text.end())
      for (const std::string& event : it->second)
        if (events.insert(event).second) s.event += (s.event.empty() ? "" : ", ") + event;
  const bool counters = ranks.front().header.sample_source == format::SampleSource::kHardware;
  s.interval_s = counters ? 0 : static_cast<double>(ranks.front().header.events[0].period) * 1e-9;
  s.rotation = ranks.front().first("rotation");
  for (const RawRecording& raw : ranks) {
    for (const format::Thread& t : raw.threads) s.samples += t.samples;
    for (std::uint32_t i = 0; i < raw.header.section_count; ++i)
      if (raw.header.sections[i].kind == format::SectionKind::kSamples)
        s.dropped += raw.header.sections[i].dropped;
  }
}

/// Cycles and instructions alone do not show memory time, so they give only grade C, like a clock.
Grade grade_of(const RunProfile& profile) {
  if (profile.sampling.source == "none") return Grade::kD;
  const bool splits =
      std::any_of(profile.kernels.begin(), profile.kernels.end(), [](const KernelProfile& kernel) {
        return kernel.counters.contains("instructions") && kernel.counters.contains("acc_mm") &&
               kernel.counters.contains("stall");
      });
  return splits ? Grade::kA : Grade::kC;
}

}  // namespace apmt
