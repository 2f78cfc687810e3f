#include "profiler/reader/call_durations.h"

#include <algorithm>
#include <cmath>

namespace apmt {
namespace {

constexpr double kQuick = 0.1;  // the quickest tenth of the sending calls waits for no other rank
/// waiting_s() averages pairs of durations: one below and one above the middle (if a call waits for
/// one message, the median). These numbers are the distances of both durations from the middle: 0
/// is the middle itself, 1 the shortest or the longest call, whichever is nearer to it. Distances
/// below 0.1 are not used: so close to the middle, the calls of the few ranks that have one
/// neighbour fewer than the others would determine the result.
constexpr double kFromMiddle[] = {0.1, 0.2, 0.4, 0.6, 0.8};
/// Limits for the mean position of the calls within their bins: 0 is the beginning of a bin, 1 its
/// end. quantile_s() computes this mean from the sum of all durations.
constexpr double kLeastPlace = 0.02;
constexpr double kLargestPlace = 0.98;

double to_s(std::uint64_t ns) { return static_cast<double>(ns) * 1e-9; }

}  // namespace

void CallDurations::add(const format::MpiCall& c) {
  if (c.calls == 0) return;
  const double least_s = to_s(~c.min_ns_complement);
  min_s_ = calls_ == 0 ? least_s : std::min(min_s_, least_s);
  max_s_ = std::max(max_s_, to_s(c.max_ns));
  calls_ += c.calls;
  sum_s_ += to_s(c.time_ns);
  for (std::uint32_t bin = 0; bin < format::kTimeBins; ++bin) bins_[bin] += c.times[bin];
}

std::optional<double> CallDurations::quantile_s(double share) const {
  std::uint64_t total = 0;
  for (const std::uint64_t n : bins_) total += n;
  if (total == 0 || total != calls_)
    return std::nullopt;  // the process was killed during an update, or a number overflowed
  const auto begin_s = [&](std::uint32_t bin) {
    return std::max(to_s(format::time_bin_begin(bin)), min_s_);
  };
  const auto end_s = [&](std::uint32_t bin) {
    return bin + 1 < format::kTimeBins ? std::min(to_s(format::time_bin_begin(bin + 1)), max_s_)
                                       : max_s_;
  };
  // A bin is up to half as wide as the duration at which it begins, so the position of the calls in
  // their bins matters. The mean position can be computed from the sum of all durations.
  double begins_s = 0;
  double widths_s = 0;
  for (std::uint32_t bin = 0; bin < format::kTimeBins; ++bin) {
    const auto here = static_cast<double>(bins_[bin]);
    begins_s += here * begin_s(bin);
    widths_s += here * std::max(end_s(bin) - begin_s(bin), 0.0);
  }
  const double place =
      widths_s > 0 ? std::clamp((sum_s_ - begins_s) / widths_s, kLeastPlace, kLargestPlace) : 0.5;
  const double wanted = share * static_cast<double>(total);
  double before = 0;
  for (std::uint32_t bin = 0; bin < format::kTimeBins; ++bin) {
    const auto here = static_cast<double>(bins_[bin]);
    if (here > 0 && before + here >= wanted) {
      // The positions in a bin are assumed to be x^k with x uniform between 0 and 1. Their mean,
      // which must be `place`, is 1 / (1 + k).
      const double at = std::pow((wanted - before) / here, 1 / place - 1);
      return begin_s(bin) + at * std::max(end_s(bin) - begin_s(bin), 0.0);
    }
    before += here;
  }
  return max_s_;
}

std::optional<double> CallDurations::sending_s() const { return quantile_s(kQuick); }

std::optional<double> CallDurations::waiting_s(double messages) const {
  const double middle = messages < 1 ? 1 - messages / 2 : 1 / (messages + 1);
  const double to_end = messages < 1 ? messages / 2 : middle;
  std::optional<double> least_s;
  for (const double way : kFromMiddle) {
    const std::optional<double> below_s = quantile_s(middle - way * to_end);
    const std::optional<double> above_s = quantile_s(middle + way * to_end);
    if (!below_s || !above_s) return std::nullopt;
    const double half_sum_s = (*below_s + *above_s) / 2;
    least_s = std::min(least_s.value_or(half_sum_s), half_sum_s);
  }
  if (messages >= 1) least_s = std::min(*least_s, sum_s_ / static_cast<double>(calls_));
  return least_s;
}

}  // namespace apmt
