#include "profiler/reader/fold_details.h"

#include <algorithm>
#include <cstdlib>

#include "profiler/reader/fold_cpu_time.h"
#include "profiler/reader/fold_times.h"
#include "profiler/reader/fold_totals.h"

namespace apmt {
namespace {

/// CPU time of a thread. If the process was killed, the recording has no CPU time of the thread or
/// only an old value; then the samples are more accurate.
double cpu_s(const RawRecording& raw, const format::Thread& thread) {
  const double noted_s = seconds(thread.cpu_ns);
  if (thread.end_ns != 0 || raw.header.ending == format::Ending::kExited) return noted_s;
  if (raw.header.sample_source != format::SampleSource::kHardware)
    return std::max(noted_s, static_cast<double>(thread.samples) *
                                 static_cast<double>(raw.header.events[0].period) * 1e-9);
  const double rate_hz = std::strtod(raw.first("cycles_per_second").c_str(), nullptr);
  return rate_hz >= 1 ? std::max(noted_s, static_cast<double>(thread.cycles) / rate_hz) : noted_s;
}

/// Cycles of a thread. The counter's value is exact. But for a thread that was killed early, and in
/// a recording of version 3.0, there are only samples.
std::uint64_t cycles_of(const RawRecording& raw, std::size_t thread) {
  const std::uint64_t counted =
      thread < raw.totals.size() ? raw.totals[thread].events[0].counted : 0;
  return std::max(counted, raw.threads[thread].cycles);
}

std::vector<ThreadRow> threads_of(const RawRecording& raw, int rank) {
  std::vector<ThreadRow> rows;
  double most_s = 0;
  for (std::size_t i = 0; i < raw.threads.size(); ++i) {
    const format::Thread& t = raw.threads[i];
    ThreadRow row;
    row.rank = rank;
    row.wall_s = seconds((t.end_ns != 0 ? t.end_ns : last_ns(raw.header)) - t.start_ns);
    row.cpu_s = cpu_s(raw, t);
    row.samples = t.samples;
    if (raw.header.sample_source == format::SampleSource::kHardware)
      row.cycles = static_cast<double>(cycles_of(raw, i));
    row.sampled_share = sampled_share(raw, i);
    if (const HeldTime held = held_time(raw, i); held.cpu_s > 0) {
      row.main_cpu_s = held.cpu_s;
      row.main_sampled_s = held.sampled_s;
    }
    most_s = std::max(most_s, row.cpu_s);
    rows.push_back(row);
  }
  std::erase_if(rows, [&](const ThreadRow& row) { return row.cpu_s * 100 < most_s; });
  return rows;
}

/// The mean over the ranks that have a value or, if `value` is a sum over `weight` events, over
/// these events.
class Mean {
 public:
  void add(double value, double weight = 1) {
    sum_ += value;
    weight_ += weight;
  }
  std::optional<double> value() const {
    return weight_ > 0 ? std::optional(sum_ / weight_) : std::nullopt;
  }

 private:
  double sum_ = 0;
  double weight_ = 0;
};

OwnCost own_cost(const std::vector<RawRecording>& ranks) {
  Mean sample;
  Mean delivery;
  Mean handler;
  Mean in_run;
  Mean task_clock;
  Mean call;
  for (const RawRecording& raw : ranks) {
    const format::Header& h = raw.header;
    if (h.call_cost_ns > 0) call.add(static_cast<double>(h.call_cost_ns) * 1e-9);
    if (h.sample_source == format::SampleSource::kNone) continue;
    if (const double ns = std::strtod(raw.first("task_clock_cost_ns").c_str(), nullptr); ns > 0)
      task_clock.add(ns * 1e-9);
    const double sample_s = static_cast<double>(h.sample_cost_ns) * 1e-9;
    const double handler_s = std::min(static_cast<double>(h.handler_cost_ns) * 1e-9, sample_s);
    sample.add(sample_s);
    handler.add(handler_s);
    delivery.add(sample_s - handler_s);
    if (h.handler_calls > 0)
      in_run.add(static_cast<double>(h.handler_ns) * 1e-9, static_cast<double>(h.handler_calls));
  }
  return {sample.value(), delivery.value(),   handler.value(),
          in_run.value(), task_clock.value(), call.value()};
}

}  // namespace

std::int64_t last_ns(const format::Header& h) {
  return std::max({h.start_ns, h.init_entered_ns, h.init_returned_ns, h.finalize_entered_ns,
                   h.finalize_returned_ns, h.end_ns, h.last_sample_ns});
}

void fold_details(const std::vector<RawRecording>& ranks, RunProfile* profile) {
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const std::vector<ThreadRow> rows = threads_of(ranks[r], static_cast<int>(r));
    profile->threads.insert(profile->threads.end(), rows.begin(), rows.end());
  }
  profile->own_cost = own_cost(ranks);
  for (const char* name : {"libc", "papi"})
    for (const RawRecording& raw : ranks)
      if (const std::string version = raw.first(name); !version.empty())
        profile->libraries.emplace(name, version);
}

}  // namespace apmt
