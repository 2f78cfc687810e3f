#include "profiler/reader/fold_totals.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace apmt {
namespace {

/// Counts of one event, in sampling periods.
struct Periods {
  double counted = 0;
  double whole = 0;  // `counted` in complete periods; an incomplete period gives no sample
  double sampled = 0;

  void add(const Periods& other) {
    counted += other.counted;
    whole += other.whole;
    sampled += other.sampled;
  }
  double share() const { return counted > 0 ? std::min(sampled / counted, 1.0) : 1; }
};

/// The factor by which to multiply the count of a counter that Linux stopped for a while. It
/// assumes that events were as frequent in that time as in the rest.
double stretched_by_throttling(const format::CounterTotal& total, const format::Thread& thread) {
  const double cpu_ns = static_cast<double>(std::max<std::int64_t>(thread.cpu_ns, 0));
  const double throttled_ns = std::min(static_cast<double>(total.throttled_ns), 0.99 * cpu_ns);
  return throttled_ns > 0 ? cpu_ns / (cpu_ns - throttled_ns) : 1;
}

Periods periods_of(const RawRecording& raw, std::size_t thread, std::uint32_t event) {
  const format::CounterTotal& total = raw.totals[thread].events[event];
  const double period = static_cast<double>(raw.header.events[event].period);
  if (!(period > 0)) return {};
  const double counted = static_cast<double>(total.counted) / period *
                         stretched_by_throttling(total, raw.threads[thread]);
  return {counted, std::floor(counted), static_cast<double>(total.overflows)};
}

std::size_t threads_with_totals(const RawRecording& raw) {
  return std::min(raw.threads.size(), raw.totals.size());
}

std::string note_on(const EventTotal& total, const Periods& periods) {
  const bool lost = periods.sampled < 0.9 * periods.whole;
  return "samples account for " + std::to_string(std::lround(100 * total.sampled_share)) +
         " % of " + total.event + ": " +
         (lost ? "lower the rate (--interval)"
               : "threads end before their first sample, raise the rate (--interval)");
}

}  // namespace

std::optional<double> sampled_share(const RawRecording& raw, std::size_t thread) {
  if (thread >= threads_with_totals(raw)) return std::nullopt;
  std::optional<double> least;
  for (std::uint32_t e = 0; e < raw.header.event_count; ++e) {
    const Periods periods = periods_of(raw, thread, e);
    if (periods.counted > 0) least = std::min(least.value_or(1), periods.share());
  }
  return least;
}

void fold_totals(const std::vector<RawRecording>& ranks, RunProfile* profile) {
  std::map<std::string, Periods> periods;
  std::map<std::string, double> counted;
  for (const RawRecording& raw : ranks) {
    const auto names = raw.text.find("event");
    if (names == raw.text.end()) continue;
    for (std::uint32_t e = 0; e < raw.header.event_count && e < names->second.size(); ++e)
      for (std::size_t t = 0; t < threads_with_totals(raw); ++t) {
        periods[names->second[e]].add(periods_of(raw, t, e));
        counted[names->second[e]] += static_cast<double>(raw.totals[t].events[e].counted);
      }
  }
  for (const auto& [event, all] : periods) {
    if (!(all.counted > 0)) continue;
    const EventTotal total = {event, counted[event], all.counted, all.share()};
    profile->sampling.totals.push_back(total);
    if (total.lacks_samples()) profile->health.notes.push_back(note_on(total, all));
  }
}

}  // namespace apmt
