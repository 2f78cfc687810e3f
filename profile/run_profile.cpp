#include "profile/run_profile.h"

#include <algorithm>
#include <numeric>

namespace apmt {

double Column::total() const { return std::accumulate(per_rank.begin(), per_rank.end(), 0.0); }
double Column::mean() const {
  return per_rank.empty() ? 0 : total() / static_cast<double>(per_rank.size());
}
double Column::min() const {
  return per_rank.empty() ? 0 : *std::min_element(per_rank.begin(), per_rank.end());
}
double Column::max() const {
  return per_rank.empty() ? 0 : *std::max_element(per_rank.begin(), per_rank.end());
}

double Counter::rank_value(std::size_t rank) const {
  const double by_samples = static_cast<double>(samples.at(rank)) * unit_per_sample;
  return scale.empty() ? by_samples : by_samples * scale.at(rank);
}
std::uint64_t Counter::total_samples() const {
  return std::accumulate(samples.begin(), samples.end(), std::uint64_t{0});
}
double Counter::independent_samples() const {
  const auto all = static_cast<double>(total_samples());
  const auto even =
      static_cast<double>(std::accumulate(squares.begin(), squares.end(), std::uint64_t{0}));
  return even > all ? all * all / even : all;
}
double Counter::total() const {
  if (scale.empty()) return static_cast<double>(total_samples()) * unit_per_sample;
  double sum = 0;
  for (std::size_t r = 0; r < samples.size(); ++r) sum += rank_value(r);
  return sum;
}

}  // namespace apmt
