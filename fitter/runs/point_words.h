// Names points of an experiment in warnings.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/words.h"

namespace apmt {

/// "n = 600, m = 2"
inline std::string sizes_words(const std::map<std::string, double>& params) {
  constexpr int kDigits = 10;  // enough that sizes stay as the user wrote them
  std::string text;
  for (const auto& [name, value] : params)
    text += (text.empty() ? "" : ", ") + name + " = " + brief_number(value, kDigits);
  return text;
}

/// Whether the points have several sizes at this process count, so that it does not name a point.
template <typename Points>
bool has_several_sizes(const Points& points, int procs) {
  const std::map<std::string, double>* first = nullptr;
  for (const auto& point : points) {
    if (point.procs != procs) continue;
    if (first != nullptr && *first != point.params) return true;
    first = &point.params;
  }
  return false;
}

/// "P = 4", or "P = 4 (n = 600)" if `points` has several sizes at this process count.
template <typename Points>
std::string at_point(const Points& points, int procs, const std::map<std::string, double>& params) {
  const std::string text = "P = " + std::to_string(procs);
  return has_several_sizes(points, procs) ? text + " (" + sizes_words(params) + ")" : text;
}

/// "P = 4, 9 (n = 600; n = 1200), 16": the points of `all` for which `is_it` is true. A process
/// count without sizes stands for all its points.
template <typename Points, typename IsIt>
std::string at_points(const Points& all, const IsIt& is_it) {
  struct Count {
    int procs = 0;
    bool is_whole = true;
    std::vector<std::string> sizes = {};
  };
  std::vector<Count> counts;
  for (const auto& point : all) {
    auto count = std::ranges::find(counts, point.procs, &Count::procs);
    if (count == counts.end()) count = counts.insert(counts.end(), {.procs = point.procs});
    count->is_whole = count->is_whole && is_it(point);
    const std::string sizes = sizes_words(point.params);
    if (is_it(point) && std::ranges::find(count->sizes, sizes) == count->sizes.end())
      count->sizes.push_back(sizes);
  }
  std::string text;
  for (const Count& count : counts) {
    if (count.sizes.empty()) continue;
    text += (text.empty() ? "P = " : ", ") + std::to_string(count.procs);
    if (count.is_whole || !has_several_sizes(all, count.procs)) continue;
    std::string sizes;
    for (const std::string& each : count.sizes) sizes += (sizes.empty() ? "" : "; ") + each;
    text += " (" + sizes + ")";
  }
  return text;
}

}  // namespace apmt
