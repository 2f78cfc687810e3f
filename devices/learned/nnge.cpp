#include "devices/learned/nnge.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "devices/learned/feature_bins.h"

namespace apmt::learned {
namespace {

using Exemplar = Nnge::Exemplar;

bool covers(const Exemplar& box, const Row& x) {
  for (std::size_t f = 0; f < x.size(); ++f)
    if (x[f] < box.low[f] || x[f] > box.high[f]) return false;
  return true;
}

bool overlap(const Exemplar& a, const Exemplar& b) {
  for (std::size_t f = 0; f < a.low.size(); ++f)
    if (a.high[f] < b.low[f] || b.high[f] < a.low[f]) return false;
  return true;
}

void extend(Exemplar* box, const Lesson& lesson, std::size_t example) {
  const Row& x = lesson.x[example];
  box->members.push_back(example);
  if (box->low.empty()) {
    box->low = box->high = x;
    return;
  }
  for (std::size_t f = 0; f < x.size(); ++f) {
    box->low[f] = std::min(box->low[f], x[f]);
    box->high[f] = std::max(box->high[f], x[f]);
  }
}

}  // namespace

Nnge::Nnge(const Lesson& lesson, const NngeOptions& options) : classes_(lesson.classes) {
  const std::size_t features = lesson.x.front().size();
  std::vector<FeatureBins> bins;
  for (std::size_t f = 0; f < features; ++f) bins.emplace_back(f, classes_);
  low_.resize(features);
  high_.resize(features);
  weights_.resize(features);
  for (std::size_t i = 0; i < lesson.size(); ++i) {
    for (std::size_t f = 0; f < features; ++f) {
      bins[f].add(lesson.x, lesson.labels, i + 1);
      low_[f] = bins[f].low();
      high_[f] = bins[f].high();
      weights_[f] = bins[f].information();
    }
    add(lesson, i, options);
  }
  weights_ = rounded(weights_);
  for (Exemplar& exemplar : exemplars_) exemplar.members.clear();
}

double Nnge::squared_distance(const Row& x, const Exemplar& exemplar) const {
  double sum = 0;
  for (std::size_t f = 0; f < x.size(); ++f) {
    const double range = high_[f] - low_[f];
    const double gap = std::max({exemplar.low[f] - x[f], x[f] - exemplar.high[f], 0.0});
    if (!(range > 0) || gap == 0) continue;
    const double part = weights_[f] * gap / range;
    sum += part * part;
  }
  return sum;
}

void Nnge::add(const Lesson& lesson, std::size_t example, const NngeOptions& options) {
  const Row& x = lesson.x[example];
  for (std::size_t e = exemplars_.size(); e-- > 0;)
    if (exemplars_[e].label != lesson.labels[example] && covers(exemplars_[e], x))
      split(lesson, e, x);
  for (Exemplar& exemplar : exemplars_)
    if (exemplar.label == lesson.labels[example] && covers(exemplar, x))
      return exemplar.members.push_back(example);
  if (generalise(lesson, example, options.tries)) return;
  Exemplar own{.label = lesson.labels[example], .low = {}, .high = {}};
  extend(&own, lesson, example);
  exemplars_.push_back(std::move(own));
}

/// Splits the box at the example x, along the feature in which x is nearest to an edge of the box.
/// A member whose value of this feature equals that of x joins the half with fewer examples, or the
/// other half if the first would then cover x. If both halves would cover x, the member gets a box
/// of its own.
void Nnge::split(const Lesson& lesson, std::size_t which, const Row& x) {
  const Exemplar box = std::move(exemplars_[which]);
  exemplars_.erase(exemplars_.begin() + static_cast<std::ptrdiff_t>(which));
  std::size_t along = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t f = 0; f < x.size(); ++f) {
    const double range = high_[f] - low_[f];
    const double lost = std::min(x[f] - box.low[f], box.high[f] - x[f]) / (range > 0 ? range : 1);
    if (lost < least) {
      least = lost;
      along = f;
    }
  }
  const Exemplar none{.label = box.label, .low = {}, .high = {}};
  Exemplar below = none;
  Exemplar above = none;
  std::vector<std::size_t> between;
  for (const std::size_t i : box.members) {
    const double value = lesson.x[i][along];
    if (value < x[along])
      extend(&below, lesson, i);
    else if (value > x[along])
      extend(&above, lesson, i);
    else
      between.push_back(i);
  }
  const bool below_first = below.members.size() <= above.members.size();
  std::vector<Exemplar> parts = {below_first ? below : above, below_first ? above : below};
  for (const std::size_t i : between) {
    bool joined = false;
    for (std::size_t half = 0; half < 2 && !joined; ++half) {
      Exemplar larger = parts[half];
      extend(&larger, lesson, i);
      if (covers(larger, x)) continue;
      parts[half] = std::move(larger);
      joined = true;
    }
    if (joined) continue;
    parts.push_back(none);
    extend(&parts.back(), lesson, i);
  }
  for (Exemplar& part : parts)
    if (!part.members.empty()) exemplars_.push_back(std::move(part));
}

bool Nnge::is_free(const Exemplar& box, const Exemplar* except) const {
  return std::none_of(exemplars_.begin(), exemplars_.end(), [&](const Exemplar& other) {
    return &other != except && overlap(box, other);
  });
}

/// Extends a box of the example's class to cover the example: of the `tries` nearest boxes, the
/// first one that would then overlap no other box. Returns false if there is none.
bool Nnge::generalise(const Lesson& lesson, std::size_t example, int tries) {
  std::vector<std::pair<double, Exemplar*>> nearest;
  for (Exemplar& exemplar : exemplars_)
    if (exemplar.label == lesson.labels[example])
      nearest.emplace_back(squared_distance(lesson.x[example], exemplar), &exemplar);
  const std::size_t count = std::min(nearest.size(), static_cast<std::size_t>(tries));
  std::partial_sort(nearest.begin(), nearest.begin() + static_cast<std::ptrdiff_t>(count),
                    nearest.end());
  for (std::size_t i = 0; i < count; ++i) {
    Exemplar larger = *nearest[i].second;
    extend(&larger, lesson, example);
    if (!is_free(larger, nearest[i].second)) continue;
    *nearest[i].second = std::move(larger);
    return true;
  }
  return false;
}

Answer Nnge::answer(const Row& x) const {
  Row distances(static_cast<std::size_t>(classes_), std::numeric_limits<double>::infinity());
  const Exemplar* nearest = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const Exemplar& exemplar : exemplars_) {
    const double distance = squared_distance(x, exemplar);
    double& of_class = distances[static_cast<std::size_t>(exemplar.label)];
    of_class = std::min(of_class, distance);
    if (distance < least) {
      least = distance;
      nearest = &exemplar;
    }
  }
  for (double& distance : distances) distance = std::sqrt(distance);
  return {.chosen = nearest == nullptr ? 0 : nearest->label, .margins = margins_of(distances)};
}

Json Nnge::to_json() const {
  std::vector<Row> lows;
  std::vector<Row> highs;
  std::vector<int> labels;
  for (const Exemplar& exemplar : exemplars_) {
    lows.push_back(exemplar.low);
    highs.push_back(exemplar.high);
    labels.push_back(exemplar.label);
  }
  return {{"learner", "nnge"},
          {"classes", classes_},
          {"range", matrix_to_json({low_, high_})},
          {"weights", matrix_to_json({weights_})},
          {"labels", labels},
          {"low", matrix_to_json(lows)},
          {"high", matrix_to_json(highs)}};
}

Nnge::Nnge(const JsonAt& at) {
  classes_ = static_cast<int>(at.at("classes").integer_in(2, 1000));
  const std::vector<Row> range = matrix_from(at.at("range"));
  const std::vector<Row> weights = matrix_from(at.at("weights"));
  if (range.size() != 2 || weights.size() != 1 || weights[0].size() != range[0].size())
    at.fail("a range and a weight of each feature");
  low_ = range[0];
  high_ = range[1];
  weights_ = weights[0];
  for (const int label : whole_numbers_from(at.at("labels"), 0, classes_ - 1))
    exemplars_.push_back({.label = label, .low = {}, .high = {}});
  const std::vector<Row> lows = matrix_from(at.at("low"));
  const std::vector<Row> highs = matrix_from(at.at("high"));
  if (lows.size() != exemplars_.size() || highs.size() != exemplars_.size())
    at.fail("bounds of every exemplar");
  for (std::size_t e = 0; e < exemplars_.size(); ++e) {
    if (lows[e].size() != low_.size() || highs[e].size() != low_.size())
      at.fail("bounds for every feature");
    exemplars_[e].low = lows[e];
    exemplars_[e].high = highs[e];
  }
}

Row mutual_information(const std::vector<Row>& x, const std::vector<int>& labels, int classes) {
  Row information;
  for (std::size_t f = 0; f < x.front().size(); ++f) {
    FeatureBins bins(f, classes);
    for (std::size_t i = 0; i < x.size(); ++i) bins.add(x, labels, i + 1);
    information.push_back(bins.information());
  }
  return information;
}

}  // namespace apmt::learned
