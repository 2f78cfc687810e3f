// The parts of equation (2) of the APMT paper and their names: one list for fits, sums, predictions
// and reports.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "fitter/model/model.h"
#include "fitter/runs/experiment.h"

namespace apmt {

enum class Part { kComp, kCommP2p, kCommColl, kCommWait, kCommOther, kOffCpu, kStart, kEnd };
inline constexpr std::array<Part, 8> kParts = {Part::kComp,     Part::kCommP2p,   Part::kCommColl,
                                               Part::kCommWait, Part::kCommOther, Part::kOffCpu,
                                               Part::kStart,    Part::kEnd};

/// The JSON key of a part: "comp_s", "comm_p2p_s", ...
const char* key(Part part);

/// The name in Model::comm: "p2p", "coll", "wait", "other"; empty for parts outside communication.
std::string comm_name(Part part);

/// The name in sentences: "point-to-point communication".
const char* words(Part part);

/// The member of the measured parts of a point: parts.*measured_part(part).
std::optional<Measured> MeasuredParts::*measured_part(Part part);

/// Whether the model has a law for the part.
bool has_part(const Model& model, Part part);

/// A law of a part.
struct LawOfPart {
  const TimeLaw* law;
  const KernelModel* kernel = nullptr;  // null unless the part is kComp
  std::string group = {};               // CommModel::group

  /// "collectives (MPI_Allgather)"
  std::string words_of(Part part) const;
};
/// All laws of a part; the sum of their times is the time of the part. Empty if the model has no
/// law for the part.
std::vector<LawOfPart> laws_of(const Model& model, Part part);

/// Whether a run with one process spends no time on the part. This holds for waiting, because there
/// is no other process, and for MPI calls that such a run did not make.
bool is_nothing_alone(const Model& model, Part part);

}  // namespace apmt
