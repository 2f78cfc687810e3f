// How much of a program's communication is in the MPI calls that each kernel makes itself, in which
// calls ranks wait, and for which rank.
#pragma once

#include <optional>
#include <vector>

#include "fitter/model/model.h"
#include "fitter/runs/experiment.h"

namespace apmt {

/// Fills in KernelModel::calls: the time in the MPI calls that each kernel makes itself, without
/// oversubscribed points and points with one process. `laws` are Model::comm. Callers are known by
/// name only, so kernels that share a name get no calls. Calls from functions that are not kernels
/// belong to the rest.
void fill_own_calls(const Experiment& experiment, const std::vector<double>& work,
                    const std::vector<CommModel>& laws, std::vector<KernelModel>* kernels);

/// Seconds per rank in the MPI calls of one kernel.
struct OwnSeconds {
  std::optional<Measured> transfer;
  std::optional<Measured> wait;
};

/// The time in the MPI calls of `kernels` in the runs of `experiment`, as [point][kernel].
std::vector<std::vector<OwnSeconds>> own_seconds(const Experiment& experiment,
                                                 const std::vector<KernelModel>& kernels);

/// For each point, the operation and caller with the most waiting, as a mean over the point's runs.
/// Absent at oversubscribed points, at points with one process, and if no rank waits.
std::vector<std::optional<LongestWait>> longest_waits(const Experiment& experiment);

/// The rank that computes longest on average over all runs of one point, if its excess (its time
/// outside MPI minus the mean of all ranks) is larger than chance explains. Its kernel is empty if
/// in no kernel the rank's excess is larger than chance explains. Absent without samples, with one
/// rank, or if a rank was not recorded.
std::optional<SlowestRank> slowest_rank(const Experiment& experiment, const ExperimentPoint& point);

}  // namespace apmt
