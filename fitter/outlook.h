// How far a program scales: what follows from predictions at many process counts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fitter/draw_search.h"
#include "fitter/prediction.h"

namespace apmt {

/// Searched from the fewest profiled processes to the count where predictions become worthless.
/// Process counts are accurate to about 6 %, and have intervals: each draw of the model has its own
/// count. Times are those that predict() gives there.
struct Outlook {
  struct Choice {
    ProcsEstimate procs;
    double time_s = 0;
    double core_hours = 0;  // of the processes, one core each
  };
  std::string why_not;  // when nothing can be said; all below is empty then
  int from_procs = 0;
  int to_procs = 0;
  std::optional<ProcsEstimate> half_efficiency;  // the first below 50 %; absent: nowhere
  std::vector<BoundChange> verdicts;             // what bounds it, in order of process counts
  std::optional<double> from_time_s;             // at from_procs
  std::optional<Choice> fastest;                 // absent when the work grows with the processes
  bool still_falling = false;                    // the fastest is the last one looked at
  std::optional<double> deadline_s;
  std::optional<Choice> cheapest;  // fewest core-hours within the deadline; absent: none keeps it
};

/// `scenario`: as for predict(); its process count is ignored.
Outlook look_ahead(const Predictor& predictor, const Model& model, const Scenario& scenario,
                   std::optional<double> deadline_s = std::nullopt);

Json to_json(const Outlook& outlook);

}  // namespace apmt
