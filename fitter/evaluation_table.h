// The evaluator as data, for a page that asks it questions where this program is not at hand.
#pragma once

#include "fitter/prediction.h"

namespace apmt {

/// Everything that Predictor::predict computes times and intervals from: the families of curves as
/// grids with prior weights, the points, the closed forms of counts, the constants, and how problem
/// sizes follow the process count in `scenario`, what each what-if does to each law. Whoever reads
/// it does arithmetic and knows no number of its own (docs/formats.md, "In the page").
/// `profiled_on` is the machine of the runs, as apmt predict --profiled-on takes it.
Json evaluation_table(const Model& model, const Scenario& scenario,
                      const std::optional<MachineFigures>& profiled_on = std::nullopt);

}  // namespace apmt
