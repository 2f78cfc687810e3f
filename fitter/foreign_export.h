// Measurements in the formats of Extra-P, for other tools; the counterpart of foreign_data.h.
#pragma once

#include <string>
#include <vector>

#include "fitter/experiment.h"
#include "fitter/foreign_data.h"

namespace apmt {

enum class ExportOf {
  kParts,  // seconds outside MPI by function with its counters, seconds, calls and bytes by
           // operation
  kTotal,  // elapsed seconds of the whole
};

/// Means over ranks, every repetition, exclusive: the parts add up. The number of processes is the
/// parameter "p" ("procs" where a problem size bears that name). Times in MPI of oversubscribed
/// runs are left out, and so is every function or operation that was not seen in all repetitions of
/// a point, at that point.
std::vector<ForeignValues> values_of(const Experiment& experiment, ExportOf what);

/// One line for each repetition.
std::string to_extrap_json_lines(const std::vector<ForeignValues>& values);

/// This format has no way to leave a point out: what is not known at every point is not in it, and
/// is named in `left_out`.
std::string to_extrap_text(const std::vector<ForeignValues>& values,
                           std::vector<std::string>* left_out);

}  // namespace apmt
