// The parts of equation (2) by name: one list for fitting, adding up, predicting and reading.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "fitter/experiment.h"
#include "fitter/model.h"
#include "fitter/prediction.h"

namespace apmt {

enum class Part { kComp, kCommP2p, kCommColl, kCommWait, kCommOther, kOffCpu, kOthers };
inline constexpr std::array<Part, 7> kParts = {Part::kComp,     Part::kCommP2p,   Part::kCommColl,
                                               Part::kCommWait, Part::kCommOther, Part::kOffCpu,
                                               Part::kOthers};

/// The JSON key of a part: "comp_s", "comm_p2p_s", ...
const char* key(Part part);

/// Name in Model::comm: "p2p", "coll", "wait", "other"; empty for parts that are not communication.
std::string comm_name(Part part);

/// In a sentence: "point-to-point communication".
const char* words(Part part);

const std::optional<Measured>& measured_part(const MeasuredParts& parts, Part part);

/// The member of a prediction for the part: parts.*predicted_part(part).
std::optional<TimeEstimate> PredictedParts::*predicted_part(Part part);

/// Does the model have a law for the part?
bool has_part(const Model& model, Part part);

/// The law of a part for which has_part() is true. Not for computation, which has one for each
/// kernel.
const TimeLaw& law_of(const Model& model, Part part);

/// Whether one process spends no time on it: waiting, because there is no other process, and calls
/// that a run with one process did not make.
bool is_nothing_alone(const Model& model, Part part);

}  // namespace apmt
