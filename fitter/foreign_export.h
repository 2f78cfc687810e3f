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
/// parameter "p" ("procs" if a problem size has that name). Times in MPI of oversubscribed runs are
/// left out. At each point, functions and operations that do not occur in all of its repetitions
/// are left out, too.
std::vector<ForeignValues> values_of(const Experiment& experiment, ExportOf what);

/// One line for each repetition.
std::string to_extrap_json_lines(const std::vector<ForeignValues>& values);

/// This format cannot leave a point out. So values that are not known at every point are left out
/// and named in `left_out`.
std::string to_extrap_text(const std::vector<ForeignValues>& values,
                           std::vector<std::string>* left_out);

}  // namespace apmt
