// How often each MPI operation was called, and how many bytes it moved.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fitter/laws/law.h"
#include "fitter/laws/law_catalog.h"
#include "fitter/runs/experiment.h"

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

/// A law of counts may explain a time only if its relative residual is at most this.
inline constexpr double kWorstCountLaw = 0.2;

/// The counts of a collective that is also called on communicators of fewer than all processes. The
/// calls and bytes are multiplied by the factors of the usual algorithm for the size of the
/// communicator (passes.h), and summed over all ranks.
struct PassedCounts {
  std::vector<FitPoint> steps;
  std::vector<FitPoint> bytes;
  CountLaw steps_law = {};
  CountLaw bytes_law = {};
};

/// For each collective of which a notable share of the calls is made on communicators of fewer than
/// all processes: its counts, if they have laws.
std::map<std::string, PassedCounts> count_on_parts(const Experiment& e,
                                                   const std::vector<double>& work,
                                                   const LawCatalog& catalog);

}  // namespace apmt
