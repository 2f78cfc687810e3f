// What the time of waiting may consist of: waiting for the rank that computes longest, and waiting
// for random delays. A family of counts (law.h) describes both.
#pragma once

#include <vector>

#include "fitter/experiment.h"
#include "fitter/law.h"

namespace apmt {

/// The families for a law of waiting through `points`. In all of them, the time is the sum of two
/// terms:
/// * The time by which the rank that is longest outside MPI exceeds the mean (its *excess*). Beyond
/// the
///   points, the excess falls as computation does (the problem is uneven), as its square root (the
///   shares are random), or not at all (one rank does work alone). Each has a family; how the
///   relative excess grew up to the largest process count decides how probable it is.
/// * A constant. If ranks are delayed at random now and then, the time lost in all delays of a run
///   is a fraction of the compute time of all ranks, which is constant in strong scaling. All other
///   ranks wait for a delayed one, however many they are.
///
/// Empty if the points have several problem sizes, or no excess at one of their process counts.
std::vector<CountFamily> wait_families(const Experiment& experiment,
                                       const std::vector<FitPoint>& points);

}  // namespace apmt
