// The analysers' names on the command line.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/analysers/all.h"

namespace apmt::kernels {

/// "mix", "parallelism", ...
std::vector<std::string> analyser_names();

/// The analysers that run when the user names none.
std::vector<std::string> usual_analysers();

/// The named analysers, any others that these depend on, and the instruction mix, to which the
/// results of the others refer. Unknown names are ignored.
AnalyserChoice analysers_named(std::span<const std::string> names);

}  // namespace apmt::kernels
