// Pieces of T(n) = alpha + beta n through measured times of messages: MPI libraries change their
// protocol with the size (eager, rendezvous), and each has its own line.
#pragma once

#include <utility>
#include <vector>

#include "machine/machine_profile.h"

namespace apmt {

/// The smallest number of pieces that fits the times to within `tolerance` (relative), four at
/// most. Times are sorted by bytes.
std::vector<HockneyPiece> fit_hockney(const std::vector<std::pair<double, Figure>>& times_s,
                                      double tolerance = 0.1);

/// The time for `bytes` according to these pieces.
double hockney_time_s(const std::vector<HockneyPiece>& pieces, double bytes);

}  // namespace apmt
