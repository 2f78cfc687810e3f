#include "history/change_points.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace apmt {
namespace {

constexpr std::size_t kLeastLevel = 2;  // fewest values in a level; a single one may be an outlier

// The weight of slow-downs in the test; speed-ups have the weight 1. This makes the test more
// sensitive to slow-downs without more false reports. For example, with 3 % noise, a slow-down of 5
// % at version 17 of 30 is found in 97 % of series (in 94 % with equal weights), and a speed-up in
// 88 %.
constexpr double kSlowerWeight = 3;

/// For each position: ln of the ratio between the likelihood of a change just before it and the
/// likelihood of no change. Values are assumed to be normally distributed with an unknown width.
struct Scan {
  std::vector<double> ln_ratio;  // by position - kLeastLevel
  double ln_mean = 0;            // ln of the weighted mean ratio: the statistic of the test
};

Scan scan(const std::vector<double>& y) {
  const double n = static_cast<double>(y.size());
  const double sum = std::accumulate(y.begin(), y.end(), 0.0);
  const double mean = sum / n;
  double all = 0;
  for (const double v : y) all += (v - mean) * (v - mean);
  Scan result;
  std::vector<double> weights;
  double before = 0;
  for (std::size_t k = 1; k + kLeastLevel <= y.size(); ++k) {
    before += y[k - 1];
    if (k < kLeastLevel) continue;
    const double left = static_cast<double>(k);
    const double step = before / left - (sum - before) / (n - left);
    constexpr double kMost = 1 - 1e-12;  // keeps the ratio of an exact step finite
    const double explained =
        all > 0 ? std::min(step * step * left * (n - left) / n / all, kMost) : 0;
    result.ln_ratio.push_back(-0.5 * (n - 2) * std::log1p(-explained));
    weights.push_back(step < 0 ? kSlowerWeight : 1);
  }
  const double most = *std::ranges::max_element(result.ln_ratio);
  double total = 0;
  for (std::size_t i = 0; i < weights.size(); ++i)
    total += weights[i] * std::exp(result.ln_ratio[i] - most);
  result.ln_mean = most + std::log(total / static_cast<double>(result.ln_ratio.size()));
  return result;
}

/// The next 64 random bits; *state is a counter (splitmix64). They are the same on every machine.
std::uint64_t next(std::uint64_t* state) {
  std::uint64_t z = *state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::vector<double> logarithms(const std::vector<double>& times) {
  std::vector<double> y;
  for (const double t : times) y.push_back(std::log(t));
  return y;
}

double chance_of(std::vector<double> y, double observed, int most_orders) {
  constexpr double kRounding = 1e-9;
  constexpr int kClearlyChance = 100;  // stop after this many orders with a change as clear
  std::uint64_t state = 1;
  int as_clear = 0;
  int orders = 0;
  for (; orders < most_orders && as_clear < kClearlyChance; ++orders) {
    for (std::size_t i = y.size(); i > 1; --i) std::swap(y[i - 1], y[next(&state) % i]);
    as_clear += scan(y).ln_mean >= observed - kRounding;
  }
  return (1.0 + as_clear) / (1.0 + orders);
}

/// The geometric mean of some of the times.
double level(const std::vector<double>& y, std::size_t from, std::size_t to) {
  double sum = 0;
  for (std::size_t i = from; i < to; ++i) sum += y[i];
  return std::exp(sum / static_cast<double>(to - from));
}

ChangePoint describe(const std::vector<double>& y, const Scan& found) {
  ChangePoint change;
  const auto most = std::ranges::max_element(found.ln_ratio);
  change.at = kLeastLevel + static_cast<std::size_t>(most - found.ln_ratio.begin());
  std::vector<std::size_t> likeliest(found.ln_ratio.size());
  std::iota(likeliest.begin(), likeliest.end(), std::size_t{0});
  std::ranges::stable_sort(likeliest, [&](std::size_t a, std::size_t b) {
    return found.ln_ratio[a] > found.ln_ratio[b];
  });
  double total = 0;
  for (const double r : found.ln_ratio) total += std::exp(r - *most);
  constexpr double kConfidence = 0.8;
  change.earliest = change.latest = change.at;
  double covered = 0;
  for (const std::size_t i : likeliest) {
    if (covered >= kConfidence * total) break;
    covered += std::exp(found.ln_ratio[i] - *most);
    change.earliest = std::min(change.earliest, kLeastLevel + i);
    change.latest = std::max(change.latest, kLeastLevel + i);
  }
  change.before = level(y, 0, change.at);
  change.after = level(y, change.at, y.size());
  return change;
}

void search(const std::vector<double>& y, std::size_t from, std::size_t to,
            const ChangeOptions& options, std::vector<ChangePoint>* changes) {
  if (to - from < kLeastVersions) return;
  const std::vector<double> part(y.begin() + static_cast<std::ptrdiff_t>(from),
                                 y.begin() + static_cast<std::ptrdiff_t>(to));
  const Scan found = scan(part);
  const double chance = chance_of(part, found.ln_mean, options.orders);
  if (chance > options.level) return;
  ChangePoint change = describe(part, found);
  change.chance = chance;
  for (std::size_t* place : {&change.at, &change.earliest, &change.latest}) *place += from;
  search(y, from, change.at, options, changes);
  if (std::abs(change.change()) >= options.least_change) changes->push_back(change);
  search(y, change.at, to, options, changes);
}

}  // namespace

int orders_for(double level) {
  constexpr double kBelow = 10;  // the smallest possible p-value is this many times below the level
  return std::max(ChangeOptions().orders, static_cast<int>(std::ceil(kBelow / level)));
}

double chance_of_change(const std::vector<double>& times, int orders) {
  if (times.size() < kLeastVersions) return 1;
  const std::vector<double> y = logarithms(times);
  return chance_of(y, scan(y).ln_mean, orders);
}

std::vector<ChangePoint> find_changes(const std::vector<double>& times,
                                      const ChangeOptions& options) {
  std::vector<ChangePoint> changes;
  const std::vector<double> y = logarithms(times);
  search(y, 0, y.size(), options, &changes);
  // A level ends at the next change, which may not have been known when this change was found. So
  // the levels are calculated again here.
  for (std::size_t i = 0; i < changes.size(); ++i) {
    changes[i].before = level(y, i == 0 ? 0 : changes[i - 1].at, changes[i].at);
    changes[i].after =
        level(y, changes[i].at, i + 1 < changes.size() ? changes[i + 1].at : y.size());
  }
  return changes;
}

}  // namespace apmt
