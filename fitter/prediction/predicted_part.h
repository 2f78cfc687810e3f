// Where a prediction holds each part of equation (2) of the APMT paper.
#pragma once

#include "fitter/model/model_parts.h"
#include "fitter/prediction/prediction.h"

namespace apmt {

/// The member of a prediction for the part: parts.*predicted_part(part).
std::optional<TimeEstimate> PredictedParts::*predicted_part(Part part);

}  // namespace apmt
