#include "fitter/communication/wait_chain.h"

#include <algorithm>

#include "base/square.h"

namespace apmt {

std::optional<double> chain_share(const std::vector<double>& messages_s, double waiting_s) {
  constexpr std::size_t kFewestRanks = 4;
  if (messages_s.size() < kFewestRanks) return std::nullopt;
  const double ranks = static_cast<double>(messages_s.size());
  double mean_s = 0;
  for (const double seconds : messages_s) mean_s += seconds / ranks;
  double rank_time = 0, rank_rank = 0, time_time = 0;  // sums of products of deviations
  for (std::size_t r = 0; r < messages_s.size(); ++r) {
    const double rank = static_cast<double>(r) - (ranks - 1) / 2;
    const double seconds = messages_s[r] - mean_s;
    rank_time += rank * seconds;
    rank_rank += square(rank);
    time_time += square(seconds);
  }
  if (rank_time <= 0 || waiting_s <= 0) return 0;
  const double unexplained = 1 - square(rank_time) / (rank_rank * time_time);
  const double share = 1 - unexplained * (ranks - 1) / (ranks - 2);
  // At the end of the chain, the ranks often wait for the last one in a collective. In all, every
  // rank then waits as long as the last one waits for messages.
  const double longest_s = rank_time / rank_rank * (ranks - 1);
  return std::max(share, 0.0) * std::min(longest_s / waiting_s, 1.0);
}

}  // namespace apmt
