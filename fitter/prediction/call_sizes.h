// Collectives that would move other amounts of data per call than in the profiled runs.
#pragma once

#include <string>
#include <vector>

#include "fitter/prediction/prediction.h"

namespace apmt {

/// A warning for each collective operation that takes much of the predicted time, if a call would
/// move far less or far more data than in any profiled run. MPI libraries choose the algorithm of a
/// collective by such sizes, so the operation may then have costs that the runs do not show. `p`
/// must have its times.
std::vector<std::string> call_size_warnings(const Model& model, const Prediction& p, double work);

}  // namespace apmt
