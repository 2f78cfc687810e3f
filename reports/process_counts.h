// Chooses the process counts to show in tables and charts, given the profiled ones.
#pragma once

#include <string>
#include <vector>

#include "fitter/model/model.h"

namespace apmt {

/// The counts that a report shows by default, up to 16 times the largest profiled one.
std::vector<int> default_procs(const Model& model);

/// The process counts at which to predict for a smooth curve: ascending, without duplicates,
/// including the profiled and the requested counts.
std::vector<int> curve_procs(const Model& model, const std::vector<int>& asked);

/// "powers of two": a name for the counts that curve_procs adds.
std::string curve_words(const Model& model);

}  // namespace apmt
