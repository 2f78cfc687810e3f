// The rank that computes most, so that the others wait for it, and the kernel that makes it slow.
#pragma once

#include <optional>

#include "fitter/model/model.h"
#include "fitter/runs/experiment.h"

namespace apmt {

/// The rank that computes longest on average over all runs of one point, if its excess (its time
/// outside MPI minus the mean of all ranks) is larger than chance explains. Its kernel is empty if
/// in no kernel the rank's excess is larger than chance explains. Absent without samples, with one
/// rank, or if a rank was not recorded.
std::optional<SlowestRank> slowest_rank(const Experiment& experiment, const ExperimentPoint& point);

}  // namespace apmt
