#include "reports/process_counts.h"

#include <algorithm>
#include <cmath>

#include "reports/vocabulary.h"

namespace apmt {
namespace {

enum class Kind { kDoublings, kCubes, kSquares, kSmooth };

bool is_power(int count, int exponent) {
  const double root = std::round(std::pow(count, 1.0 / exponent));
  return std::pow(root, exponent) == count;
}

bool is_doubling_of(int count, int first) {
  while (count > first && count % 2 == 0) count /= 2;
  return count == first;
}

bool is_smooth(int count) {
  for (const int prime : {2, 3, 5})
    while (count % prime == 0) count /= prime;
  return count == 1;
}

Kind kind_of(const std::vector<int>& counts) {
  const auto all = [&](auto holds) { return std::all_of(counts.begin(), counts.end(), holds); };
  if (all([&](int count) { return is_doubling_of(count, counts.front()); }))
    return Kind::kDoublings;
  if (all([](int count) { return is_power(count, 3); })) return Kind::kCubes;
  if (all([](int count) { return is_power(count, 2); })) return Kind::kSquares;
  return Kind::kSmooth;
}

bool is_of_kind(int count, Kind kind, int first) {
  switch (kind) {
    case Kind::kDoublings:
      return is_doubling_of(count, first);
    case Kind::kCubes:
      return is_power(count, 3);
    case Kind::kSquares:
      return is_power(count, 2);
    case Kind::kSmooth:
      return is_smooth(count);
  }
  return false;
}

/// The next larger count of the same kind. Powers are calculated directly, because trying every
/// count up to millions of processes would take too long.
double next_of_kind(double count, Kind kind, int first) {
  const auto next_power = [count](double exponent) {
    return std::pow(std::floor(std::pow(count, 1 / exponent) + 1e-9) + 1, exponent);
  };
  switch (kind) {
    case Kind::kDoublings:
      return first * std::exp2(std::floor(std::log2(count / first) + 1e-9) + 1);
    case Kind::kCubes:
      return next_power(3);
    case Kind::kSquares:
      return next_power(2);
    case Kind::kSmooth:
      break;
  }
  do ++count;
  while (!is_smooth(static_cast<int>(count)));
  return count;
}

}  // namespace

std::vector<int> counts_like_profiled(const Model& model, int low, int high, double least_ratio) {
  const std::vector<int> profiled = profiled_counts(model);
  std::vector<int> counts;
  if (profiled.empty() || low < 1) return counts;
  const Kind kind = kind_of(profiled);
  const int first = profiled.front();
  double count = kind == Kind::kDoublings ? std::max(low, first) : low;
  if (!is_of_kind(static_cast<int>(count), kind, first)) count = next_of_kind(count, kind, first);
  while (count <= high) {
    counts.push_back(static_cast<int>(count));
    const double least = std::ceil(count * least_ratio - 1e-9);
    count = next_of_kind(std::max(count, least - 1), kind, first);
  }
  return counts;
}

std::vector<int> default_procs(const Model& model) {
  constexpr int kFactor = 16;
  const Kind kind = kind_of(profiled_counts(model));
  if (kind == Kind::kCubes || kind == Kind::kSquares)
    return counts_like_profiled(model, model.min_procs(), model.max_procs() * kFactor, 1.5);
  std::vector<int> procs;
  for (int p = model.min_procs(); p <= model.max_procs() * kFactor; p *= 2) procs.push_back(p);
  return procs;
}

std::vector<int> curve_procs(const Model& model, const std::vector<int>& asked) {
  constexpr double kLeastRatio = 1.15;
  std::vector<int> counts = profiled_counts(model);
  counts.insert(counts.end(), asked.begin(), asked.end());
  std::erase_if(counts, [](int count) { return count < 1; });
  if (counts.empty()) return counts;
  const auto [first, last] = std::minmax_element(counts.begin(), counts.end());
  const std::vector<int> between = counts_like_profiled(model, *first, *last, kLeastRatio);
  counts.insert(counts.end(), between.begin(), between.end());
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

std::string curve_words(const Model& model) {
  const std::vector<int> profiled = profiled_counts(model);
  switch (kind_of(profiled)) {
    case Kind::kDoublings:
      return is_doubling_of(profiled.front(), 1)
                 ? std::string("powers of two")
                 : std::to_string(profiled.front()) + " times powers of two";
    case Kind::kCubes:
      return "cubes of whole numbers";
    case Kind::kSquares:
      return "squares of whole numbers";
    case Kind::kSmooth:
      break;
  }
  return "products of 2, 3 and 5";
}

}  // namespace apmt
