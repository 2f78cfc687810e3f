// Finds reasons why runs cannot be compared with each other, and reports them in sentences.
#pragma once

#include <string>
#include <vector>

#include "fitter/runs/experiment.h"

namespace apmt {

/// Throws InputError when the runs are of different programs.
void check_one_program(const std::vector<RunProfile>& runs);

std::vector<std::string> comparability_warnings(const Experiment& experiment,
                                                const ExperimentOptions& options);

}  // namespace apmt
