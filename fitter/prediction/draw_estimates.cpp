#include "fitter/prediction/draw_estimates.h"

#include <algorithm>
#include <cmath>

namespace apmt {

double quantile(Draws* draws, double q) {
  const double at = std::clamp(q * kDraws - 0.5, 0.0, static_cast<double>(kDraws) - 1);
  const auto below = static_cast<std::ptrdiff_t>(at);
  const auto lower = draws->begin() + below;
  std::nth_element(draws->begin(), lower, draws->end());
  const double part = at - static_cast<double>(below);
  if (part == 0) return *lower;
  const double upper = *std::min_element(lower + 1, draws->end());
  return *lower + part * (upper - *lower);
}

double median(Draws draws) { return quantile(&draws, 0.5); }

TimeEstimate with_interval(double value, Draws low_draws, Draws high_draws, double confidence) {
  const double low = quantile(&low_draws, 0.5 - 0.5 * confidence);
  const double high = quantile(&high_draws, 0.5 + 0.5 * confidence);
  return {value, std::min(value, low), std::max(value, high)};
}

TimeEstimate estimate_of_whole(const std::vector<const Draws*>& parts, double confidence) {
  Draws sums{};
  double time_s = 0;
  for (const Draws* part : parts) {
    time_s += median(*part);
    for (std::size_t k = 0; k < kDraws; ++k) sums[k] += (*part)[k];
  }
  return with_interval(time_s, sums, sums, confidence);
}

DrawEstimates::DrawEstimates(const Draws& part, double confidence)
    : confidence_(confidence), part_(with_interval(median(part), part, part, confidence)) {
  std::array<std::pair<double, std::size_t>, kDraws> order;
  for (std::size_t k = 0; k < kDraws; ++k) order[k] = {part[k], k};
  std::sort(order.begin(), order.end());
  double sum = 0;
  for (std::size_t rank = kDraws / 4; rank < kDraws - kDraws / 4; ++rank) {
    const auto [time_s, k] = order[rank];
    if (time_s <= 0) continue;
    const double from_middle = (static_cast<double>(rank) + 0.5 - 0.5 * kDraws) / (0.25 * kDraws);
    of_part_[k] = 1 + std::cos(M_PI * from_middle);
    sum += of_part_[k];
    of_part_[k] *= part_.time_s / time_s;
  }
  if (sum > 0)
    for (double& w : of_part_) w /= sum;
}

double DrawEstimates::term_s(const Draws& term) const {
  double sum = 0;
  for (std::size_t k = 0; k < kDraws; ++k) sum += of_part_[k] * term[k];
  return sum;
}

TimeEstimate DrawEstimates::term(const Draws& term) const {
  return with_interval(term_s(term), term, term, confidence_);
}

}  // namespace apmt
