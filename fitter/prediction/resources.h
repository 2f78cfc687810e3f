// Answers "how many processes, and how many nodes?" for a deadline or a budget.
#pragma once

#include <optional>
#include <string>

#include "fitter/prediction/prediction.h"

namespace apmt {

/// Either a deadline or a budget.
struct ResourceLimit {
  std::optional<double> deadline_s = {};
  std::optional<double> budget_core_hours = {};
};

struct ResourceChoice {
  int procs = 0;
  std::optional<int> nodes;  // absent: the runs do not say how many cores a node has
  TimeEstimate time;
  double core_hours = 0;  // one core per process
};

struct Resources {
  ResourceLimit limit;
  double confidence = 0.8;
  std::string why_not;  // why there is no answer; then all choices are absent
  /// With a deadline: the process count that meets it with the fewest core-hours. With a budget:
  /// the fastest process count within it. Absent: no process count meets the limit.
  std::optional<ResourceChoice> choice;
  /// Like `choice`, but even the upper end of the interval must meet the limit.
  std::optional<ResourceChoice> sure;
  std::optional<ResourceChoice> fastest;
};

/// The process count of `scenario` is ignored. The process counts found are accurate to about 6 %.
/// Throws InputError unless exactly one limit is given and is above 0.
Resources find_resources(const Model& model, const Predictor& predictor, const Scenario& scenario,
                         const ResourceLimit& limit);

Json to_json(const Resources& resources);

}  // namespace apmt
