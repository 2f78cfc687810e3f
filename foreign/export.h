// Writes measurements in formats of Extra-P, for other tools; the counterpart of foreign/data.h.
#pragma once

#include <string>
#include <vector>

#include "fitter/runs/experiment.h"
#include "foreign/data.h"

namespace apmt {

enum class ExportOf {
  kParts,  // by function: seconds outside MPI and counters; by operation: seconds, calls, bytes
  kTotal,  // elapsed seconds of the run
};

/// The measurements of an experiment: for every repetition, means over the ranks. Values are
/// exclusive, so the parts add up. The number of processes is the parameter "p", or "procs" if a
/// problem size is called "p". Values that another tool measured are written unchanged. Three
/// things are left out: times in MPI of oversubscribed runs; a time at a point if any repetition
/// lacks it; and a count if an earlier repetition lacks it and a later one has it. `left_out` names
/// what is left out because repetitions lack it.
std::vector<ForeignValues> values_of(const Experiment& experiment, ExportOf what,
                                     std::vector<std::string>* left_out = nullptr);

/// One line for each repetition.
std::string to_extrap_json_lines(const std::vector<ForeignValues>& values);

/// In the text format every point has the same parameters (throws InputError if they differ), and
/// every metric needs a value at every point. Metrics that lack one are left out and named in
/// `left_out`.
std::string to_extrap_text(const std::vector<ForeignValues>& values,
                           std::vector<std::string>* left_out);

}  // namespace apmt
