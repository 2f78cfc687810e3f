// Exports a model as data from which an HTML page can predict without this program.
#pragma once

#include "fitter/prediction/prediction.h"

namespace apmt {

/// All data from which Predictor::predict computes times and intervals: the families of curves as
/// grids with prior weights, the points, the closed forms of counts, and the constants. The table
/// also says how problem sizes follow the process count in `scenario`, and how each what-if affects
/// each law. The page contains no constants of its own (docs/formats-outputs.md, "In the page").
/// The caller may add "model": what names the model in a command of apmt predict.
/// `profiled_on` is the machine of the runs, as for apmt predict --profiled-on.
Json evaluation_table(const Model& model, const Scenario& scenario,
                      const std::optional<MachineFigures>& profiled_on = std::nullopt);

}  // namespace apmt
