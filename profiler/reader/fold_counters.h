// Converts samples of events to counters of kernels: chooses metric names and units, and combines
// ranks that measured different events.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"

namespace apmt {

/// Samples of one kernel: per rank, and per event of that rank's recording. If the samples come
/// from a clock, the column Header::squares_column has the sums of squares.
using EventCounts = std::vector<std::array<std::uint64_t, format::kMaxEvents>>;

/// The metrics of a run, from the events that each rank measured.
class Metrics {
 public:
  explicit Metrics(const std::vector<RawRecording>& ranks);

  /// The counters of a kernel with these samples.
  std::map<std::string, Counter> counters(const EventCounts& counts) const;
  /// CPU seconds of one rank in a kernel with these samples.
  double seconds(const EventCounts::value_type& counts, std::size_t rank) const;
  /// Frequency of the cores while they ran these ranks in user mode; absent if the cycles or the
  /// time in user mode are not known.
  std::optional<double> frequency_hz() const { return frequency_hz_; }
  /// The frequency of each rank, 0 where it is not known; empty when no rank has one.
  const std::vector<double>& rank_frequencies_hz() const { return rank_frequencies_hz_; }
  /// Notes for users about these metrics.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct OnRank {
    int event = -1;         // index in the rank's recording; -1: not measured on this rank
    double per_sample = 0;  // what one sample stands for, in the metric's unit
    double fraction = 1;    // share of the time it was counted; per_sample is divided by this share
    double scale = 1;       // as Counter::scale
    std::uint32_t squares_column = 0;  // 0: there is none
  };
  struct Metric {
    Provenance provenance = Provenance::kClock;
    std::string event;
    std::vector<OnRank> ranks;
    double rejected = 1;  // below 1: rejected on a rank that counted it for only this share of time
    std::size_t ranks_measured() const {
      return static_cast<std::size_t>(std::count_if(
          ranks.begin(), ranks.end(), [](const OnRank& on) { return on.event >= 0; }));
    }
    bool is_measured() const { return ranks_measured() > 0; }
  };

  /// A metric as the sum of some events minus the sum of others.
  struct Formula {
    std::string metric;  // empty: another formula of the metric is used
    std::vector<std::pair<double, std::string>> terms;  // +1 or -1, key in metrics_
  };

  void measure_frequencies(const std::vector<RawRecording>& ranks);
  void add_time(const std::vector<RawRecording>& ranks);
  void add_events(const std::vector<RawRecording>& ranks);
  void add_formulas(const std::vector<RawRecording>& ranks);
  void note_partly_measured();
  void note_time_slices();
  Counter measured(const Metric& metric, const EventCounts& counts) const;
  std::optional<Counter> combined(const Formula& formula,
                                  const std::map<std::string, Counter>& by_event) const;
  bool spread(const Metric& metric, const Counter& time, Counter* counter) const;

  std::map<std::string, Metric> metrics_;  // one for each event, and one for time
  std::vector<Formula> formulas_;
  std::optional<double> frequency_hz_;
  std::vector<double> rank_frequencies_hz_;
  std::vector<std::string> notes_;
};

/// The metric of an event: "cycles" or "instructions" for the events of PAPI and perf that count
/// these, the event's name in lower case for any other event.
std::string metric_of_event(const std::string& event);

}  // namespace apmt
