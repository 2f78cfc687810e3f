// Pieces of T(n) = alpha + beta n through measured times of messages: MPI libraries change their
// protocol with the size (eager, rendezvous), and each has its own line.
#pragma once

#include <utility>
#include <vector>

#include "machine/machine_profile.h"

namespace apmt {

/// As few pieces as describe the times to within `tolerance` (relative), four at most. Times are by
/// bytes, ascending.
std::vector<HockneyPiece> fit_hockney(const std::vector<std::pair<double, Figure>>& times_s,
                                      double tolerance = 0.1);

/// The time of `bytes` by these pieces.
double hockney_time_s(const std::vector<HockneyPiece>& pieces, double bytes);

}  // namespace apmt
