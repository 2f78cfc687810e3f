// Finds differences between two compared sets of runs that do not come from the program's code.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "fitter/runs/experiment.h"

namespace apmt {

struct ComparedRuns {
  const Experiment& experiment;
  std::set<std::string> clusters = {};  // the virtual clusters that they ran on, as texts
};

/// One sentence for each reason to distrust the comparison of two experiments: first differences in
/// arguments, virtual cluster, MPI, processors or threads per rank, then the warnings of both
/// experiments (more ranks than CPUs, several builds).
std::vector<std::string> cautions(const ComparedRuns& before, const ComparedRuns& after);

/// One sentence for each such difference between the runs that a model was fitted to and the runs
/// that it is compared with.
std::vector<std::string> cautions_of_validation(const ComparedRuns& fitted,
                                                const ComparedRuns& compared);

}  // namespace apmt
