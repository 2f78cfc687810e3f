// How far a program scales: what follows from predictions at many process counts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fitter/prediction.h"

namespace apmt {

/// Looked for from the fewest profiled processes to where predictions become worthless. Process
/// counts are right to about 6 %; times and efficiencies are those that predict() gives there.
struct Outlook {
  struct Verdict {
    int from_procs = 0;
    std::string bound;
  };
  struct Choice {
    int procs = 0;
    double time_s = 0;
    double core_hours = 0;  // of the processes, one core each
  };
  std::string why_not;  // when nothing can be said; all below is empty then
  int from_procs = 0;
  int to_procs = 0;
  std::optional<int> half_efficiency_procs;  // the first below 50 %; absent: nowhere
  std::vector<Verdict> verdicts;             // what bounds it, in order of process counts
  std::optional<double> from_time_s;         // at from_procs
  std::optional<Choice> fastest;             // absent when the work grows with the processes
  bool still_falling = false;                // the fastest is the last one looked at
  std::optional<double> deadline_s;
  std::optional<Choice> cheapest;  // fewest core-hours within the deadline; absent: none keeps it
};

/// `scenario`: as for predict(), its process count does not matter.
Outlook look_ahead(const Predictor& predictor, const Model& model, const Scenario& scenario,
                   std::optional<double> deadline_s = std::nullopt);

Json to_json(const Outlook& outlook);

}  // namespace apmt
