#include "fitter/draw_estimates.h"

#include <algorithm>
#include <cmath>

namespace apmt {
namespace {

TimeEstimate interval(Draws draws, double time_s, double confidence) {
  const double low = quantile(&draws, 0.5 - 0.5 * confidence);
  const double high = quantile(&draws, 0.5 + 0.5 * confidence);
  return {time_s, std::min(time_s, low), std::max(time_s, high)};
}

}  // namespace

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

DrawEstimates::DrawEstimates(const Draws& whole, double confidence) : confidence_(confidence) {
  Draws copy = whole;
  whole_ = interval(whole, quantile(&copy, 0.5), confidence);
  std::array<std::pair<double, std::size_t>, kDraws> order;
  for (std::size_t k = 0; k < kDraws; ++k) order[k] = {whole[k], k};
  std::sort(order.begin(), order.end());
  double sum = 0;
  for (std::size_t rank = kDraws / 4; rank < kDraws - kDraws / 4; ++rank) {
    const auto [time_s, k] = order[rank];
    if (time_s <= 0) continue;
    const double from_middle = (static_cast<double>(rank) + 0.5 - 0.5 * kDraws) / (0.25 * kDraws);
    of_whole_[k] = 1 + std::cos(M_PI * from_middle);
    sum += of_whole_[k];
    of_whole_[k] *= whole_.time_s / time_s;
  }
  if (sum > 0)
    for (double& w : of_whole_) w /= sum;
}

double DrawEstimates::part_s(const Draws& part) const {
  double sum = 0;
  for (std::size_t k = 0; k < kDraws; ++k) sum += of_whole_[k] * part[k];
  return sum;
}

TimeEstimate DrawEstimates::part(const Draws& part) const {
  return interval(part, part_s(part), confidence_);
}

}  // namespace apmt
