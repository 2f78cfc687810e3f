// Selects the functions that get laws of their own (the APMT paper, Ding et al., section 3.2;
// sampling error is considered in addition).
#pragma once

#include <optional>
#include <vector>

#include "fitter/model/model.h"
#include "fitter/runs/experiment.h"

namespace apmt {

struct KernelSet {
  /// By falling time at the last point; the rest (if any) last. They have times at every point of
  /// the experiment, but no laws yet.
  std::vector<KernelModel> kernels;
  std::vector<double> coverage;  // for each point: share of compute time outside the rest
  int functions = 0;             // number of functions in all runs
  int too_few_samples = 0;       // functions above the threshold that are in the rest
};

/// Selects the kernels; `work` is the work D at every point. The same functions are selected at
/// every P:
/// - those whose share of compute time is above `threshold` at any point, unless they never take
///   most of the time and have so few samples at every point that no trend can be seen;
/// - those with a unique name whose MPI calls take a share of the run above `threshold` at any
///   point;
/// - those whose time t per rank does not fall with the work x per rank. The slope of ln t over
///   ln(1/x), which is -1 in ideal scaling, must be more than two standard errors above -1, and
///   must not be more than two standard errors below zero. So a function with a handful of samples
///   is not selected by chance.
/// All other functions together are one kernel, the rest.
KernelSet select_kernels(const Experiment& experiment, const std::vector<double>& work,
                         double threshold);

/// The times of a model's kernels in other runs, in seconds per rank, as [point][kernel]. The rest
/// is all other functions. Absent for points whose runs were not all sampled.
std::vector<std::vector<std::optional<double>>> kernel_seconds(
    const Experiment& experiment, const std::vector<KernelModel>& kernels);

}  // namespace apmt
