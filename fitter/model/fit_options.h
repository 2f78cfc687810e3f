// What the user can choose for a fit, and how much is fitted.
#pragma once

#include <filesystem>
#include <string>

#include "fitter/model/machine_costs.h"
#include "fitter/model/model.h"

namespace apmt {

struct FitOptions {
  /// A kernel is critical if its share of compute time, or the share of its MPI calls in the run,
  /// exceeds this at any process count (after the APMT paper, Ding et al., section 3.2). In (0, 1].
  double threshold = 0.05;
  /// The work D as an expression of the problem sizes, e.g. "nx*ny*nz". Empty: chosen from the
  /// sizes (work.h).
  std::string work;
  std::string method = kOwnMethod;
  /// Costs of memory accesses on the machine of the runs. If a cost is needed but missing, a value
  /// is assumed.
  MemoryCosts memory;
  /// Costs of messages and collectives on the machine of the runs, as far as they are known.
  NetworkCosts network;
  /// The folder that holds laws.yaml.
  std::filesystem::path configs;
};

/// How much is fitted. kTimes fits only what predictions of times need: it leaves out counters that
/// do not explain times, the joint mode of the costs, the kernels' own MPI calls, and fitted values
/// at the points.
enum class FitDepth { kWhole, kTimes };

}  // namespace apmt
