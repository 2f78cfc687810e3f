// How often each MPI operation was called, and how many bytes it moved.
#pragma once

#include <string>
#include <vector>

#include "fitter/experiment.h"
#include "fitter/law.h"

namespace apmt {

/// Counts summed over all ranks, at every point of an experiment.
struct OpCounts {
  std::string op;               // "MPI_Allreduce"
  std::string op_class;         // as in the MPI table
  std::vector<FitPoint> calls;  // calls with a partner
  std::vector<FitPoint> bytes;  // bytes sent; received if the operation sends none
};

/// Sorted by name. `work` is D at each point.
std::vector<OpCounts> count_ops(const Experiment& e, const std::vector<double>& work);

}  // namespace apmt
