#include "devices/learned/outside.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace apmt::learned {
namespace {

constexpr double kFalseAlarms = 0.1;

Row deviations_of(const std::vector<Row>& x) {
  const double count = static_cast<double>(x.size());
  Row mean(x.front().size());
  Row square(x.front().size());
  for (const Row& row : x)
    for (std::size_t f = 0; f < row.size(); ++f) mean[f] += row[f] / count;
  for (const Row& row : x)
    for (std::size_t f = 0; f < row.size(); ++f)
      square[f] += (row[f] - mean[f]) * (row[f] - mean[f]) / count;
  for (double& each : square) each = std::sqrt(each);
  return square;
}

}  // namespace

Outside::Outside(const std::vector<Row>& x, const std::vector<std::string>& groups)
    : x_(x), deviation_(deviations_of(x)) {
  Row distances;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < x.size(); ++j)
      if (groups[i] != groups[j]) least = std::min(least, between(x[i], x[j]));
    distances.push_back(least);
  }
  std::sort(distances.begin(), distances.end());
  const auto place = static_cast<std::size_t>(
      std::ceil((1 - kFalseAlarms) * static_cast<double>(distances.size() + 1)));
  limit_ = distances[std::min(std::max<std::size_t>(place, 1), distances.size()) - 1];
  if (!std::isfinite(limit_)) limit_ = 0;
}

/// A feature that is the same in all examples has a standard deviation of 0. If rows a and b differ
/// in such a feature, the difference counts as ten standard deviations.
double Outside::difference(const Row& a, const Row& b, std::size_t f) const {
  if (deviation_[f] > 0) return (a[f] - b[f]) / deviation_[f];
  constexpr double kNeverSeen = 10;
  return a[f] == b[f] ? 0 : a[f] > b[f] ? kNeverSeen : -kNeverSeen;
}

double Outside::between(const Row& a, const Row& b) const {
  double sum = 0;
  for (std::size_t f = 0; f < a.size(); ++f) {
    const double part = difference(a, b, f);
    sum += part * part;
  }
  return std::sqrt(sum / static_cast<double>(a.size()));
}

std::vector<std::pair<double, std::size_t>> Outside::nearest(const Row& x,
                                                             std::size_t count) const {
  std::vector<std::pair<double, std::size_t>> all;
  for (std::size_t i = 0; i < x_.size(); ++i) all.emplace_back(between(x, x_[i]), i);
  std::sort(all.begin(), all.end());
  all.resize(std::min(count, all.size()));
  return all;
}

double Outside::distance(const Row& x) const { return nearest(x, 1).front().first; }

}  // namespace apmt::learned
