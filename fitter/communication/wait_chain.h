// Waiting along a chain of ranks: each waits for a message of the rank before it, which waits in
// turn. So the time in messages grows in proportion to the rank, and the longest wait in proportion
// to the number of ranks.
#pragma once

#include <optional>
#include <vector>

namespace apmt {

/// How well a chain describes the waiting of a run, from 0 to 1: the share of the variance of the
/// ranks' times in messages that growth with the rank number explains, beyond what it would explain
/// by chance. Less if this growth is too small for the mean waiting time of a rank (`waiting_s`). 0
/// if the time falls with the rank number: in recorded programs, that was no sign of a chain that
/// begins at the last rank. Nothing if there are too few ranks to tell.
std::optional<double> chain_share(const std::vector<double>& messages_s, double waiting_s);

}  // namespace apmt
