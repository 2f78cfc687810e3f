// Compares two models of one program at the points (process counts and problem sizes) that were
// measured for both: which parts got slower or faster, and whether the difference is more than
// noise.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/checked_json.h"
#include "fitter/model/model.h"
#include "reports/report.h"

namespace apmt {

/// Measured seconds per rank at one point: the median of the repetitions, and their scatter.
struct Sample {
  double value_s = 0;
  double rel_sigma = 0;  // standard deviation of one repetition, relative to the value
  int repetitions = 0;
  std::optional<double> one_sample_s = {};  // for a kernel: the time that one sample stands for
};

/// The comparison of one quantity at one point that both models have.
struct Change {
  int procs = 0;
  double work = 1;
  std::string what;  // "elapsed", "point-to-point", ..., or a kernel's name
  bool is_kernel = false;
  /// For a part of a kernel: "comp", "mem", "transfer" or "wait". Otherwise empty.
  std::string part = {};
  Sample before;
  Sample after;
  double difference_s = 0;
  double share = 0;  // difference / elapsed time before
  /// The two-sided p-value: the probability of so large a difference if nothing has changed. Absent
  /// if either side has a single run, if both times are 0, if one is known only to be shorter than
  /// the time of one sample, and for computation and memory, whose times are calculated, not
  /// measured.
  std::optional<double> chance = {};
  bool is_significant = false;
};

struct DifferenceOptions {
  // Smaller changes, relative to the elapsed time before, are not marked as significant.
  double threshold = 0.01;
  double level = 0.05;  // significance level of all comparisons together (Holm's method)
};

/// All comparisons, sorted by point; at each point the elapsed time comes first, then the largest
/// differences. Throws InputError (exit code 3) when the models have no point in common.
std::vector<Change> compare(const Model& before, const Model& after,
                            const DifferenceOptions& options = {});

/// Two-sided p-value of Welch's test on the logarithms of the times. If a part is new or gone, its
/// time on one side is exactly 0, so a t-test of the other side's times against 0 takes its place.
/// Absent as Change::chance.
std::optional<double> chance_of(const Sample& before, const Sample& after);

Report make_difference_report(const Model& before, const Model& after,
                              const std::vector<Change>& changes);
/// Each entry contains `warnings`, reasons to distrust the comparison.
Json to_json(const std::vector<Change>& changes, const std::vector<std::string>& warnings = {});

}  // namespace apmt
