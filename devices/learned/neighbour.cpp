#include "devices/learned/neighbour.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace apmt::learned {

std::pair<Row, Row> ranges_of(const std::vector<Row>& x) {
  Row low = x.front();
  Row high = x.front();
  for (const Row& row : x)
    for (std::size_t f = 0; f < row.size(); ++f) {
      low[f] = std::min(low[f], row[f]);
      high[f] = std::max(high[f], row[f]);
    }
  return {low, high};
}

Neighbour::Neighbour(const Lesson& lesson)
    : classes_(lesson.classes), x_(lesson.x), labels_(lesson.labels) {
  std::tie(low_, high_) = ranges_of(x_);
}

std::size_t Neighbour::nearest(const Row& x, Row* distances) const {
  distances->assign(static_cast<std::size_t>(classes_), std::numeric_limits<double>::infinity());
  std::size_t nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < x_.size(); ++i) {
    double sum = 0;
    for (std::size_t f = 0; f < x.size(); ++f) {
      const double range = high_[f] - low_[f];
      const double part = range > 0 ? (x[f] - x_[i][f]) / range : 0;
      sum += part * part;
    }
    double& of_class = (*distances)[static_cast<std::size_t>(labels_[i])];
    of_class = std::min(of_class, sum);
    if (sum < least) {
      least = sum;
      nearest = i;
    }
  }
  for (double& distance : *distances) distance = std::sqrt(distance);
  return nearest;
}

Answer Neighbour::answer(const Row& x) const {
  Row distances;
  const std::size_t found = nearest(x, &distances);
  return {.chosen = labels_[found], .margins = margins_of(distances)};
}

Row Neighbour::weights(const Row& x) const {
  Row distances;
  Row weights(x_.size());
  weights[nearest(x, &distances)] = 1;
  return weights;
}

Json Neighbour::to_json() const {
  return {{"learner", "neighbour"},
          {"classes", classes_},
          {"labels", labels_},
          {"x", matrix_to_json(x_)}};
}

Neighbour::Neighbour(const JsonAt& at) {
  classes_ = static_cast<int>(at.at("classes").integer_in(2, 1000));
  labels_ = whole_numbers_from(at.at("labels"), 0, classes_ - 1);
  x_ = matrix_from(at.at("x"));
  if (x_.empty() || x_.size() != labels_.size()) at.fail("a label for every example");
  std::tie(low_, high_) = ranges_of(x_);
}

}  // namespace apmt::learned
