// How two compared experiments differ, besides the program.
#pragma once

#include <string>
#include <vector>

#include "fitter/experiment.h"

namespace apmt {

/// One sentence each: first differences in MPI, processors or threads, then problems of the runs of
/// either side (more ranks than CPUs, several builds).
std::vector<std::string> cautions(const Experiment& before, const Experiment& after);

}  // namespace apmt
