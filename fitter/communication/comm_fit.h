// Fits laws of communication: first of calls and bytes, then of their time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fitter/laws/law_catalog.h"
#include "fitter/model/fit_options.h"
#include "fitter/model/model_parts.h"
#include "fitter/runs/experiment.h"

namespace apmt {

/// Laws of the calls and bytes of every MPI operation. They are fitted to all points, because
/// oversubscription does not change calls and bytes.
std::vector<CountModel> fit_counts(const Experiment& experiment, const std::vector<double>& work,
                                   const LawCatalog& catalog);

/// The calls of some MPI operations. Each group may grow differently with the process count: each
/// operation in collectives; blocking calls, MPI_Sendrecv and non-blocking calls of messages.
/// Waiting moves from one call to another, so only that for the root of broadcasts and reductions
/// is set apart.
struct CallGroup {
  std::string name;  // of the operation, or kBlocking, kOtherMessages, kAlongTrees... (model.h)
  std::vector<std::string> ops;
  std::vector<std::optional<Measured>> seconds;  // by point, per rank
};

/// The groups of Part::kCommP2p, kCommColl or kCommWait. The group with the largest share of the
/// time at any point comes first, the group of all others last. Empty if there is only one group,
/// if a large group takes no time at some point, or if the runs do not show the time of each group.
std::vector<CallGroup> call_groups(const Experiment& experiment, Part part);

/// Laws of the times in point-to-point calls, in collectives and in the rest of MPI, and of
/// waiting. Counts explain these times as
///   p2p:  alpha * messages/P + beta * bytes/P                              (Hockney)
///   coll: alpha * calls/P * log2(P) + beta * bytes/P [* log2(P)]           (trees)
///         alpha * calls/P * (P - 1) + beta * bytes/P                       (rings, pairwise)
/// where alpha is the cost of a message or step, and beta the cost of a byte. Curves (recipe.h) are
/// alternatives. Unless the method is the paper's, groups of calls that take much of the time get
/// laws of their own. A part with fewer than two usable process counts gets no law,
/// but a warning (waiting gets none).
std::vector<CommModel> fit_comm(const Experiment& experiment, const std::vector<double>& work,
                                double linear_exponent, const std::vector<CountModel>& counts,
                                const FitOptions& options, const LawCatalog& catalog,
                                bool may_be_exact, std::vector<std::string>* warnings);

}  // namespace apmt
