// Writes measurements in formats of Extra-P, for other tools; the counterpart of foreign_data.h.
#pragma once

#include <string>
#include <vector>

#include "fitter/experiment.h"
#include "fitter/foreign_data.h"

namespace apmt {

enum class ExportOf {
  kParts,  // by function: seconds outside MPI and counters; by operation: seconds, calls, bytes
  kTotal,  // elapsed seconds of the run
};

/// Means over the ranks for every repetition. Values are exclusive, so the parts add up. The number
/// of processes is the parameter "p", or "procs" if a problem size is called "p". Times in MPI of
/// oversubscribed runs are left out. So are series that some repetitions of a point lack: a time
/// that one of them lacks, a count that a later one has and an earlier one lacks; `left_out` names
/// them. Values that another tool measured are written unchanged.
std::vector<ForeignValues> values_of(const Experiment& experiment, ExportOf what,
                                     std::vector<std::string>* left_out = nullptr);

/// One line for each repetition.
std::string to_extrap_json_lines(const std::vector<ForeignValues>& values);

/// In this format every point has the same parameters (throws InputError if they differ), and every
/// metric needs a value at every point. Metrics that lack one are left out and named in `left_out`.
std::string to_extrap_text(const std::vector<ForeignValues>& values,
                           std::vector<std::string>* left_out);

}  // namespace apmt
