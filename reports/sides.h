// What makes two experiments that are compared differ besides the program.
#pragma once

#include <string>
#include <vector>

#include "fitter/experiment.h"

namespace apmt {

/// One sentence each: another MPI, other processors or threads on the one side than on the other,
/// then what is wrong with the runs of either side (more ranks than CPUs, several builds).
std::vector<std::string> cautions(const Experiment& before, const Experiment& after);

}  // namespace apmt
