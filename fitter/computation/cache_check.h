// Checks whether small runs can represent large ones (check E of the APMT paper): the last-level
// cache misses divided by all memory accesses, called E, must be at most 1e-4.
#pragma once

#include <string>
#include <vector>

#include "fitter/model/model.h"

namespace apmt {

/// Whether apmt simulate --ahead would show how often kernels access memory: it needs two process
/// counts with the same size, and counts of a simulation. False if it has shown it for all kernels.
bool can_look_ahead(const Model& model, double procs, double work);

/// Warnings for a prediction at `procs` processes and `work`, about the kernels that fail the
/// check; each warning names only the first few kernels. There are none if the work per process is
/// inside the profiled range.
std::vector<std::string> cache_warnings(const Model& model, double procs, double work);

}  // namespace apmt
