// The analysers' names on the command line.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/analysers/all.h"

namespace apmt::kernels {

/// "mix", "parallelism", ...
std::vector<std::string> analyser_names();

/// Those that run when the user names none.
std::vector<std::string> usual_analysers();

/// The named analysers, those that they need, and the instruction mix, on which the others' shares
/// are based. Unknown names are ignored.
AnalyserChoice analysers_named(std::span<const std::string> names);

}  // namespace apmt::kernels
