// The MPI calls in which most time passes: by operation and calling function.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fitter/runs/experiment.h"

namespace apmt {

/// The operation in whose calls from one function most time passes.
struct CostliestCall {
  std::string op;      // "MPI_Comm_split"
  std::string caller;  // empty if it is not known
  double time_s = 0;   // seconds per rank
  double share = 0;    // share of the time in all calls that were compared
};

/// `seconds_in_rows` gives the seconds, over all ranks, that count in each row of a run's MPI
/// table. Absent if there are none, or if they are not known because ranks share cores.
std::optional<CostliestCall> costliest_call(
    const Experiment& experiment, const ExperimentPoint& point,
    const std::function<std::vector<double>(const RunProfile&)>& seconds_in_rows);

/// Of the MPI calls that are neither messages nor collectives, such as those that make
/// communicators.
std::optional<CostliestCall> costliest_other_call(const Experiment& experiment,
                                                  const ExperimentPoint& point);

}  // namespace apmt
