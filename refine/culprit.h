// Finds the part of a model that causes its error: predicts the largest profiled process count from
// the other runs and compares each part with the measurement.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fitter/model/fit_options.h"
#include "fitter/model/model.h"
#include "fitter/prediction/prediction.h"
#include "fitter/runs/experiment.h"

namespace apmt {

struct Culprit {
  std::string part;                   // key of model_parts.h: "comp_s", "comm_coll_s", ...
  std::optional<std::size_t> kernel;  // index in Model::kernels; only for comp_s
  std::string words;    // "unit cost of collectives", "volume of MPI_Alltoall", "CPI of sweep"
  bool is_cpi = false;  // runs at other core frequencies would tell more
  double error_s = 0;   // predicted - measured, seconds per process
  double share = 0;     // |error_s| / sum of the absolute errors of all parts
};

/// Adds information from runs outside the experiment to a model.
using ModelRefiner = std::function<void(Model*)>;

/// Sorted by the size of the error, the largest first; empty if there are too few process counts
/// for a back-test.
std::vector<Culprit> find_culprits(const Experiment& experiment, const Model& model,
                                   const FitOptions& options, const ModelRefiner& refine = {});

/// The width of the culprit's interval in a prediction, relative to the whole time.
double culprit_width(const Culprit& culprit, const Prediction& prediction);

}  // namespace apmt
