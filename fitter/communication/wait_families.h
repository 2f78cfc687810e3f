// What the time of waiting, and that of the end of a run, may consist of: waiting for the rank that
// computes longest, and random delays, waiting for all earlier ranks of a chain, or (at the end) a
// constant. A CountFamily (time_law.h) describes each combination.
#pragma once

#include <optional>
#include <vector>

#include "fitter/laws/time_law.h"
#include "fitter/runs/experiment.h"

namespace apmt {

/// The families for a law of waiting through `points`. In each of them, the time is the sum of two
/// terms, each with a fitted factor:
///   - The time by which the rank that is longest outside MPI exceeds the mean (its *excess*).
///     Beyond the points, the excess falls as computation does (the problem is uneven), as its
///     square root (the shares are random), or not at all (one rank works alone for a time S, and
///     the excess approaches S as S (1 - b/P)). How the ratio of the excess to the mean grew
///     between the two largest process counts decides how probable each of these is. An excess that
///     is unusually large for its trend at the largest process count is expected to be less so
///     beyond it.
///   - Random delays, or waiting along a chain of ranks. The delays add up to a fixed
///     fraction of the compute time of all ranks. If they are rare, all other ranks wait for a
///     delayed one, however many they are. So in strong scaling, each rank waits for the same time
///     at every process count. If they are frequent, only the variation of their number delays
///     others. It falls as the square root of the computation. In a chain, each rank waits for all
///     before it, so the time grows in proportion to P.
/// There is one family for each combination.
///
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

/// How well a chain describes the waiting of a run, from 0 to 1: each rank waits for a message of
/// the rank before it, which waits in turn, so the time in messages grows in proportion to the
/// rank. It is the share of the variance of the ranks' times in messages that growth with the rank
/// number explains, beyond what it would explain by chance. Less if this growth is too small for
/// the mean waiting time of a rank (`waiting_s`). 0 if the time falls with the rank number: in
/// recorded programs, that was no sign of a chain that begins at the last rank. Nothing if there
/// are too few ranks to tell.
std::optional<double> chain_share(const std::vector<double>& messages_s, double waiting_s);

}  // namespace apmt
