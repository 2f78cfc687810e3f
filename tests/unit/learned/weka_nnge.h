// NNGE with the choices that Weka's NNge makes where the description of NNGE leaves several
// possibilities. The choices were found from the exemplars and weights that Weka prints after each
// example.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <list>
#include <utility>
#include <vector>

#include "devices/learned/learner.h"

namespace apmt::learned {

/// If all are false, the algorithm is the same as our Nnge.
struct WekaChoices {
  bool closed_bins = true;     // a value on a bound counts in both bins; bound k is low + k * width
  bool always_extends = true;  // an example inside a box of its class joins it only if the box
                               // overlaps no other
  bool upper_half_first = true;  // members with the value of the example join the upper half first
  bool recent_first = true;      // of equally near boxes, the one tried or made last is the nearest
};

/// Forces the choice of `feature` in the split that example number `example` causes, where several
/// features are equally good. By default, no choice is forced.
struct TiedSplit {
  std::size_t example = SIZE_MAX;
  std::size_t feature = 0;
};

class WekaNnge {
 public:
  WekaNnge(const Lesson& lesson, const WekaChoices& choices, TiedSplit forced = {})
      : lesson_(lesson), choices_(choices), forced_(forced), low_(lesson.x[0]), high_(lesson.x[0]) {
    for (std::size_t i = 0; i < lesson.size(); ++i) add(i);
  }

  int answer(const Row& x) const {
    const Box* nearest = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (const Box& box : boxes_)
      if (const double distance = squared_distance(x, box); distance < least) {
        least = distance;
        nearest = &box;
      }
    return nearest->label;
  }

  /// For each split, the features that were as good as the one along which the box was split.
  const std::vector<TiedSplit>& tied_splits() const { return ties_; }

 private:
  struct Box {
    int label = 0;
    Row low = {};
    Row high = {};
    std::vector<std::size_t> members = {};
  };
  using Boxes = std::list<Box>;

  Box with(Box box, std::size_t example) const {
    const Row& x = lesson_.x[example];
    if (box.members.empty()) box.low = box.high = x;
    for (std::size_t f = 0; f < x.size(); ++f) {
      box.low[f] = std::min(box.low[f], x[f]);
      box.high[f] = std::max(box.high[f], x[f]);
    }
    box.members.push_back(example);
    return box;
  }

  static bool covers(const Box& box, const Row& x) {
    for (std::size_t f = 0; f < x.size(); ++f)
      if (x[f] < box.low[f] || x[f] > box.high[f]) return false;
    return true;
  }

  static bool overlap(const Box& a, const Box& b) {
    for (std::size_t f = 0; f < a.low.size(); ++f)
      if (a.high[f] < b.low[f] || b.high[f] < a.low[f]) return false;
    return true;
  }

  double relative(double gap, std::size_t f) const {
    const double range = high_[f] - low_[f];
    return gap / (range > 0 ? range : 1);
  }

  double squared_distance(const Row& x, const Box& box) const {
    double sum = 0;
    for (std::size_t f = 0; f < x.size(); ++f) {
      const double gap = std::max({box.low[f] - x[f], x[f] - box.high[f], 0.0});
      const double range = high_[f] - low_[f];
      const double part = range > 0 ? weights_[f] * gap / range : 0;
      sum += part * part;
    }
    return sum;
  }

  bool is_in_bin(double value, int bin, std::size_t f) const {
    const double width = (high_[f] - low_[f]) / 5;
    if (choices_.closed_bins)
      return value >= low_[f] + bin * width && value <= low_[f] + (bin + 1) * width;
    const int own = width > 0 ? std::min(static_cast<int>((value - low_[f]) / width), 4) : 0;
    return own == bin;
  }

  /// The mutual information between feature f and the class, computed from the first `count`
  /// examples.
  double weight(std::size_t f, std::size_t count) const {
    const auto classes = static_cast<std::size_t>(lesson_.classes);
    const auto label = [&](std::size_t i) { return static_cast<std::size_t>(lesson_.labels[i]); };
    Row of_class(classes, 0);
    for (std::size_t i = 0; i < count; ++i) ++of_class[label(i)];
    double sum = 0;
    for (int bin = 0; bin < 5; ++bin) {
      Row in_bin(classes, 0);
      double all = 0;
      for (std::size_t i = 0; i < count; ++i)
        if (is_in_bin(lesson_.x[i][f], bin, f)) {
          ++in_bin[label(i)];
          ++all;
        }
      for (std::size_t c = 0; c < classes; ++c)
        if (in_bin[c] > 0)
          sum +=
              in_bin[c] * std::log2(in_bin[c] * static_cast<double>(count) / (all * of_class[c]));
    }
    return sum / static_cast<double>(count);
  }

  void insert(Box box) {
    if (box.members.empty()) return;
    boxes_.insert(choices_.recent_first ? boxes_.begin() : boxes_.end(), std::move(box));
  }

  void add(std::size_t i) {
    const Row& x = lesson_.x[i];
    weights_.resize(x.size());
    for (std::size_t f = 0; f < x.size(); ++f) {
      low_[f] = std::min(low_[f], x[f]);
      high_[f] = std::max(high_[f], x[f]);
    }
    for (std::size_t f = 0; f < x.size(); ++f) weights_[f] = weight(f, i + 1);
    std::vector<Boxes::iterator> wrong;
    for (auto box = boxes_.begin(); box != boxes_.end(); ++box)
      if (box->label != lesson_.labels[i] && covers(*box, x)) wrong.push_back(box);
    for (const auto box : wrong) split(box, i);
    if (!choices_.always_extends)
      for (Box& box : boxes_)
        if (box.label == lesson_.labels[i] && covers(box, x)) return box.members.push_back(i);
    if (!extends_one(i)) insert(with({.label = lesson_.labels[i]}, i));
  }

  bool extends_one(std::size_t i) {
    std::vector<std::pair<double, Boxes::iterator>> nearest;
    for (auto box = boxes_.begin(); box != boxes_.end(); ++box)
      if (box->label == lesson_.labels[i])
        nearest.emplace_back(squared_distance(lesson_.x[i], *box), box);
    std::stable_sort(nearest.begin(), nearest.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    nearest.resize(std::min<std::size_t>(nearest.size(), 5));
    for (const auto& [distance, box] : nearest) {
      if (choices_.recent_first) boxes_.splice(boxes_.begin(), boxes_, box);
      Box larger = with(*box, i);
      if (std::any_of(boxes_.begin(), boxes_.end(), [&, tried = &*box](const Box& other) {
            return &other != tried && overlap(larger, other);
          }))
        continue;
      *box = std::move(larger);
      return true;
    }
    return false;
  }

  std::size_t feature_to_split(const Box& box, std::size_t i) {
    const Row& x = lesson_.x[i];
    Row lost;
    for (std::size_t f = 0; f < x.size(); ++f)
      lost.push_back(relative(std::min(x[f] - box.low[f], box.high[f] - x[f]), f));
    const auto least = std::min_element(lost.begin(), lost.end());
    for (std::size_t f = 0; f < x.size(); ++f)
      if (lost[f] == *least && &lost[f] != &*least) ties_.push_back({i, f});
    const bool is_forced = forced_.example == i && lost[forced_.feature] == *least;
    return is_forced ? forced_.feature : static_cast<std::size_t>(least - lost.begin());
  }

  void split(Boxes::iterator which, std::size_t i) {
    const Box box = std::move(*which);
    boxes_.erase(which);
    const Row& x = lesson_.x[i];
    const std::size_t along = feature_to_split(box, i);
    Box below{.label = box.label};
    Box above{.label = box.label};
    std::vector<std::size_t> between;
    for (const std::size_t member : box.members) {
      const double value = lesson_.x[member][along];
      if (value < x[along])
        below = with(below, member);
      else if (value > x[along])
        above = with(above, member);
      else
        between.push_back(member);
    }
    const bool below_first =
        !choices_.upper_half_first && below.members.size() <= above.members.size();
    Box& first = below_first ? below : above;
    Box& second = below_first ? above : below;
    std::vector<Box> alone;
    for (const std::size_t member : between) {
      if (Box larger = with(first, member); !covers(larger, x))
        first = std::move(larger);
      else if (larger = with(second, member); !covers(larger, x))
        second = std::move(larger);
      else
        alone.push_back(with({.label = box.label}, member));
    }
    if (choices_.recent_first)
      for (const Box& own : alone) insert(own);
    insert(first);
    insert(second);
    if (!choices_.recent_first)
      for (const Box& own : alone) insert(own);
  }

  const Lesson& lesson_;
  WekaChoices choices_;
  TiedSplit forced_;
  Row low_;
  Row high_;
  Row weights_ = {};
  Boxes boxes_ = {};
  std::vector<TiedSplit> ties_ = {};
};

}  // namespace apmt::learned
