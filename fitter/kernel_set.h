// Selects the functions that get their own laws (the APMT paper, Ding et al., section 3.2, with
// sampling error).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fitter/experiment.h"
#include "fitter/model.h"

namespace apmt {

/// One function, or the aggregate of many, over the points of an experiment.
struct KernelSeries {
  KernelId id;
  std::string name;
  KernelRole role = KernelRole::kRest;
  int functions = 1;
  std::vector<FitPoint> points;  // seconds per rank, one per experiment point
  std::vector<double> share;     // of all compute time, one per experiment point
  double max_share() const;
};

struct KernelSet {
  std::vector<KernelSeries> kernels;  // by falling time at the last point; the rest last, if any
  std::vector<double> coverage;       // per experiment point: share of kernels with their own law
  int functions = 0;                  // seen in any run
};

/// `work` is D at every experiment point. The union is the same at every P:
///  (a) share above `threshold` at any point;
///  (b) time per rank that does not fall as the work per rank does: the slope of ln t over ln(P)
///      (over ln(1/x) when the size varies) is not below zero by two standard errors, and is above
///      ideal scaling by two, so that a function with a handful of samples proves nothing;
///  (c) all others as one aggregate.
KernelSet select_kernels(const Experiment& experiment, const std::vector<double>& work,
                         double threshold);

/// The same kernels in other runs: at each point, seconds per rank of each of `kernels`; the rest
/// is all other functions. Absent for runs that were not sampled.
std::vector<std::vector<std::optional<double>>> kernel_seconds(
    const Experiment& experiment, const std::vector<KernelModel>& kernels);

}  // namespace apmt
