// Who made the others wait: the rank that computes most, and the kernel in which it does.
#pragma once

#include <optional>

#include "fitter/experiment.h"
#include "fitter/model.h"

namespace apmt {

/// Of the runs of one point together. Absent without samples, with one rank, and where a rank was
/// not recorded.
std::optional<SlowestRank> slowest_rank(const Experiment& experiment, const ExperimentPoint& point);

}  // namespace apmt
