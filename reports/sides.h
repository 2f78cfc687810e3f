// Finds differences between two compared experiments that do not come from the program.
#pragma once

#include <string>
#include <vector>

#include "fitter/runs/experiment.h"

namespace apmt {

/// One sentence for each reason to distrust the comparison: first differences in MPI, processors or
/// threads per rank, then the warnings of both experiments (more ranks than CPUs, several builds).
std::vector<std::string> cautions(const Experiment& before, const Experiment& after);

}  // namespace apmt
