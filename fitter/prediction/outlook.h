// What many predictions say together: how far a program scales, how many processes to use for a
// deadline or a budget, and what a single change would save.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fitter/prediction/draw_search.h"
#include "fitter/prediction/prediction.h"

namespace apmt {

/// The search goes from the fewest profiled processes to the count where predictions become
/// worthless. The process counts that it finds are accurate to about 6 %. All but `cheapest` have
/// intervals, because each draw of the model gives another count. Times are those that predict()
/// gives at the counts.
struct Outlook {
  struct Choice {
    ProcsEstimate procs;
    double time_s = 0;
    double core_hours = 0;  // processes times time, with one core per process
  };
  std::string why_not;      // why there is no outlook; then nothing below was found
  double confidence = 0.8;  // of the intervals of process counts
  int from_procs = 0;
  int to_procs = 0;
  std::optional<ProcsEstimate> half_efficiency;  // first efficiency below 50 %; absent: nowhere
  std::vector<BoundChange> verdicts;             // what bounds the time, sorted by process count
  std::optional<double> from_time_s;             // predicted time at from_procs
  std::optional<Choice> fastest;                 // absent if the work grows with the processes
  bool still_falling = false;                    // the fastest count is the last one searched
  std::optional<double> deadline_s;
  std::optional<Choice> cheapest;  // fewest core-hours within the deadline; absent: none meets it
};

/// `scenario` is as for predict(), but its process count is ignored.
Outlook look_ahead(const Predictor& predictor, const Model& model, const Scenario& scenario,
                   std::optional<double> deadline_s = std::nullopt);

Json to_json(const Outlook& outlook);

/// Either a deadline or a budget.
struct ResourceLimit {
  std::optional<double> deadline_s = {};
  std::optional<double> budget_core_hours = {};
};

struct ResourceChoice {
  int procs = 0;
  std::map<std::string, double> params;  // the problem sizes
  std::optional<int> nodes;              // absent: the runs do not say how many cores a node has
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
  std::optional<ResourceChoice> cheapest;  // the fewest core-hours
};

/// The process count of `scenario` is ignored. The process counts found are accurate to about 6 %.
/// Throws InputError unless exactly one limit is given and is above 0.
Resources find_resources(const Model& model, const Predictor& predictor, const Scenario& scenario,
                         const ResourceLimit& limit);

Json to_json(const Resources& resources);

/// The predicted time after a single change: one kernel, one part of the time or one figure of the
/// machine costs half as much, and everything else stays as it is.
struct HalvedCost {
  enum class Of { kKernel, kPart, kMachine };
  Of of = Of::kKernel;
  std::size_t kernel = 0;      // index in Model::kernels
  std::string part = {};       // "comm_p2p_s"
  Knob knob = Knob::kLatency;  // for kMachine; rates (is_rate) are doubled
  TimeEstimate time = {};      // the whole time with the change
  double saved = 0;            // share of the unchanged time that is saved
};

/// All such changes, sorted by their saving, the largest first. Halving a kernel halves its compute
/// time, not the time of its MPI calls. The list leaves out functions that are not kernels; changes
/// that save no time; figures of the machine that the model cannot change or that the scenario
/// already changes; and the network's latency and bandwidth if it is doubtful how much each costs.
/// Empty if the model knows only whole times.
std::vector<HalvedCost> halved_costs(const Model& model, const Predictor& predictor,
                                     const Scenario& scenario);

}  // namespace apmt
