#include "reports/process_counts.h"

#include <algorithm>
#include <bit>

#include "fitter/runs/count_pattern.h"
#include "reports/vocabulary.h"

namespace apmt {

std::vector<int> default_procs(const Model& model) {
  constexpr int kFactor = 16;
  const std::vector<int> profiled = model.process_counts();
  const CountPattern pattern = pattern_of(profiled);
  if (pattern == CountPattern::kCubes || pattern == CountPattern::kSquares)
    return counts_like_profiled(profiled, model.min_procs(), model.max_procs() * kFactor, 1.5);
  std::vector<int> procs;
  for (int p = model.min_procs(); p <= model.max_procs() * kFactor; p *= 2) procs.push_back(p);
  return procs;
}

std::vector<int> curve_procs(const Model& model, const std::vector<int>& asked) {
  constexpr double kLeastRatio = 1.15;
  std::vector<int> counts = model.process_counts();
  counts.insert(counts.end(), asked.begin(), asked.end());
  std::erase_if(counts, [](int count) { return count < 1; });
  if (counts.empty()) return counts;
  const auto [first, last] = std::minmax_element(counts.begin(), counts.end());
  const std::vector<int> between =
      counts_like_profiled(model.process_counts(), *first, *last, kLeastRatio);
  counts.insert(counts.end(), between.begin(), between.end());
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

std::string curve_words(const Model& model) {
  const std::vector<int> profiled = model.process_counts();
  switch (pattern_of(profiled)) {
    case CountPattern::kDoublings:
      return std::has_single_bit(static_cast<unsigned>(profiled.front()))
                 ? std::string("powers of two")
                 : std::to_string(profiled.front()) + " times powers of two";
    case CountPattern::kCubes:
      return "cubes of whole numbers";
    case CountPattern::kSquares:
      return "squares of whole numbers";
    case CountPattern::kSmooth:
      break;
  }
  return "products of 2, 3 and 5";
}

}  // namespace apmt
