// The runs to make next, in the form that a report shows.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace apmt {

struct NextRun {
  int procs = 0;
  bool is_new = true;     // no run at this process count yet
  double time_s = 0;      // predicted time of one run
  double core_hours = 0;  // of all repetitions of the run
  double width_before = 0;
  double width_after = 0;
  /// The share of the width that would vanish. Negative if the interval would get wider, because
  /// the run shows that less is known than assumed.
  double gain() const { return width_before > 0 ? 1 - width_after / width_before : 0; }
  double gain_per_core_hour() const { return core_hours > 0 ? gain() / core_hours : 0; }
};

/// A run that would show whether computation or memory bounds a kernel.
struct VerdictRun {
  enum class Kind {
    kSmallData,  // at a problem size whose data fit into the caches: only the core takes time
    kSlowCore,   // with the cores at kSlowFrequency times their frequency
  };
  Kind kind = Kind::kSmallData;
  std::size_t kernel = 0;  // index in Model::kernels
  int procs = 0;           // the smallest profiled process count
  std::string bound;       // "compute" or "memory", the likelier one
  double probability = 0;  // of this bound
  /// Mean probability of the likelier bound after the run, over the times that the run may take.
  double expected_probability = 0;
  /// For all repetitions (for kSlowCore, at each of the three frequencies that apmt refine
  /// --frequency uses by default), if each takes as long as a run at the profiled size and
  /// frequency.
  double core_hours = 0;
  double gain() const { return expected_probability - probability; }
  double gain_per_core_hour() const { return core_hours > 0 ? gain() / core_hours : 0; }
};

inline constexpr double kSlowFrequency = 0.7;

struct NextRunsSummary {
  int at = 0;  // the process count to predict
  int reps = 0;
  std::vector<NextRun> runs;             // sorted by falling gain per core-hour
  std::vector<VerdictRun> for_verdicts;  // sorted by falling gain per core-hour
  bool helps() const { return !runs.empty() && runs.front().gain() > 0; }
};

}  // namespace apmt
