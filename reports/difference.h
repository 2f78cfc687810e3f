// Two models of one program compared at points that both measured: what got slower, and
// is that more than noise?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/checked_json.h"
#include "fitter/model.h"
#include "reports/report.h"

namespace apmt {

/// Measured seconds per rank at one point: middle and scatter of its repetitions.
struct Sample {
  double value_s = 0;
  double rel_sigma = 0;  // standard deviation of one repetition / value
  int repetitions = 0;
};

/// One quantity at one point that both models have.
struct Change {
  int procs = 0;
  double work = 1;
  std::string what;  // "elapsed", "point-to-point", ..., or a kernel's name
  bool is_kernel = false;
  /// Of a kernel: "comp", "mem", "transfer", "wait"; empty: its time, or no kernel.
  std::string part = {};
  Sample before;
  Sample after;
  double difference_s = 0;
  double share = 0;  // difference / elapsed time before
  /// Chance that no change at all would show a difference so large (two-sided); absent with a
  /// single run on either side.
  std::optional<double> chance = {};
  bool is_significant = false;
};

struct DifferenceOptions {
  double threshold = 0.01;  // of the elapsed time before: what is smaller is no one's concern
  double level = 0.05;      // of all comparisons together (Holm)
};

/// All comparisons, point by point, the largest differences first. Throws InputError (exit 3) when
/// the models have no point in common.
std::vector<Change> compare(const Model& before, const Model& after,
                            const DifferenceOptions& options = {});

/// Two-sided p-value of Welch's test on the logarithms of times; absent with a single run.
std::optional<double> chance_of(const Sample& before, const Sample& after);

Report make_difference_report(const Model& before, const Model& after,
                              const std::vector<Change>& changes);
Json to_json(const std::vector<Change>& changes);

}  // namespace apmt
