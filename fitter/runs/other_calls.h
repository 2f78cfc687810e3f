// The MPI calls that are neither messages nor collectives, such as those that make communicators.
#pragma once

#include <optional>
#include <string>

#include "fitter/runs/experiment.h"

namespace apmt {

/// The operation among the other MPI calls that takes the most time, and the function that calls
/// it.
struct OtherCall {
  std::string op;      // "MPI_Comm_split"
  std::string caller;  // empty if it is not known
  double time_s = 0;   // seconds per rank
  double share = 0;    // share of the time in all other MPI calls
};

/// Absent if no time passes in other MPI calls, or if it is not known because ranks share cores.
std::optional<OtherCall> costliest_other_call(const Experiment& experiment,
                                              const ExperimentPoint& point);

}  // namespace apmt
