// Describes the measured time T(n) of messages of n bytes by several lines (pieces), each of the
// form T(n) = alpha + beta n. MPI libraries change their protocol with the size (eager,
// rendezvous), and each protocol has its own line.
#pragma once

#include <utility>
#include <vector>

#include "machine/machine_profile.h"

namespace apmt {

/// Uses the fewest pieces that fit the times to within `tolerance` (relative), and at most four.
/// `times_s` (bytes, time) must be sorted by bytes.
std::vector<HockneyPiece> fit_hockney(const std::vector<std::pair<double, Figure>>& times_s,
                                      double tolerance = 0.1);

/// The time for `bytes` according to these pieces.
double hockney_time_s(const std::vector<HockneyPiece>& pieces, double bytes);

}  // namespace apmt
