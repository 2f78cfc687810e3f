// What the time of waiting, and that of the end of a run, may consist of: waiting for the rank that
// computes longest, and random delays, waiting for all earlier ranks of a chain, or (at the end) a
// constant. A CountFamily (time_law.h) describes each combination.
#pragma once

#include <optional>
#include <vector>

#include "fitter/laws/time_law.h"
#include "fitter/runs/experiment.h"

namespace apmt {

/// The families for a law of waiting through `points`: one for each combination of two terms, each
/// with a fitted factor (docs/architecture.md says why):
///   - The time by which the rank that is longest outside MPI exceeds the mean (its *excess*). It
///     falls as computation does, as its square root, or not at all: S (1 - b/P).
///   - Random delays. If they are rare, each rank waits for the same time at every process count;
///     if they are frequent, for a time that falls as the square root of the computation. Or
///     waiting along a chain of ranks, which grows in proportion to P.
/// Empty if the points have several problem sizes, only one process count, or a point of a single
/// process, or if the excess is zero at any of their process counts.
std::vector<CountFamily> wait_families(const Experiment& experiment,
                                       const std::vector<FitPoint>& points);

/// The families for the time after MPI_Finalize begins, if ranks then wait for the one that
/// computes longest: the excess, with the trends above, and a constant. Empty in the cases above,
/// and if at any process count the time is much shorter than the excess: then the ranks have waited
/// before.
std::vector<CountFamily> end_families(const Experiment& experiment,
                                      const std::vector<FitPoint>& points);

/// How well a chain describes the waiting of a run, from 0 to 1: the share of the variance of the
/// ranks' times in messages that steady growth from the first rank to the last, or from the last to
/// the first, explains beyond what chance would. Less if this growth is too small for the mean
/// waiting of a rank (`waiting_s`). Nothing if there are too few ranks to tell.
std::optional<double> chain_share(const std::vector<double>& messages_s, double waiting_s);

/// The median of chain_share() over the runs of a point; 0 if its waiting is not known or there are
/// too few ranks to tell.
double chain_share_at(const Experiment& experiment, const ExperimentPoint& point);

}  // namespace apmt
