#include "refine/ahead.h"

#include "refine/next_run.h"

namespace apmt {

Ahead look_beyond(const Predictor& predictor, const Model& model, const Scenario& target,
                  std::optional<double> deadline_s) {
  constexpr int kReps = 3;
  Ahead ahead{look_ahead(predictor, model, target, deadline_s), {}};
  if (const auto run = narrowing_run(model, target, kReps))
    ahead.run = NarrowingRun{run->procs, kReps, run->core_hours, run->gain()};
  ahead.runs_up_to = narrowing_runs_up_to(model, target);
  return ahead;
}

}  // namespace apmt
