// The runs to make next, in the form that a report shows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace apmt {

/// What a run would do for the verdict on a kernel: the probability that its likelier bound has.
struct SharperVerdict {
  std::size_t kernel = 0;  // index in Model::kernels
  std::string bound;       // "compute", "memory", "network", ...
  double probability = 0;
  double expected_probability = 0;  // after the run
  double gain() const { return expected_probability - probability; }
};

struct NextRun {
  enum class Kind {
    kAsProfiled,    // at the profiled problem sizes
    kSmallData,     // at a problem size whose data fit into the caches: only the core takes time
    kSlowCore,      // with the cores at kSlowFrequency times their frequency
    kLargerCaches,  // simulations of the largest run: apmt simulate --ahead
  };
  Kind kind = Kind::kAsProfiled;
  int procs = 0;
  bool is_new = true;     // no run at this process count yet
  double time_s = 0;      // of one run: measured with this size, or predicted
  double core_hours = 0;  // of all repetitions of the run
  /// Of the interval at the process count to predict, relative to the time.
  double width_before = 0;
  double width_after = 0;
  /// The verdict that becomes surer by the largest probability; absent if all verdicts are sure, or
  /// none becomes surer.
  std::optional<SharperVerdict> verdict = {};

  /// The share of the width that would vanish. Negative if the interval would get wider, because
  /// the run shows that less is known than assumed.
  double narrowing() const { return width_before > 0 ? 1 - width_after / width_before : 0; }
  /// The larger of what it does for the interval and for a verdict.
  double gain() const { return verdict ? std::max(narrowing(), verdict->gain()) : narrowing(); }
  double gain_per_core_hour() const { return core_hours > 0 ? gain() / core_hours : 0; }
};

inline constexpr double kSlowFrequency = 0.7;

struct NextRunsSummary {
  int at = 0;                            // the process count to predict
  std::map<std::string, double> params;  // the problem sizes there
  int reps = 0;
  std::vector<NextRun> runs;  // sorted by falling gain per core-hour
  bool helps() const { return !runs.empty() && runs.front().gain() > 0; }
};

}  // namespace apmt
