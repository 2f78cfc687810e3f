#include "fitter/times/draw_places.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fitter/numeric/normal_quantile.h"
#include "fitter/times/recipe_priors.h"

namespace apmt {
namespace {

// Steps and starts of a lattice: its points are the strata of the draws in six distributions (see
// lattice_of_draws()). The points fill the square of any two distributions, and the cube of any
// three, evenly. The steps and starts were found by a search over odd steps, and over starts that
// are multiples of 32. With them, the 10, 50 and 90 % quantiles of the sum of any two standard
// normal numbers, taken over the draws, come closest to the exact ones: within 0.04 of a standard
// deviation.
constexpr LatticeStep kCurve{1, 0};
constexpr LatticeStep kNoise{49, 192};
constexpr LatticeStep kStraying{361, 416};
constexpr LatticeStep kSize{355, 480};
constexpr LatticeStep kCosts{373, 32};
constexpr LatticeStep kChange{377, 128};

/// The strata of another distribution, from those of the curve.
Strata lattice(const Strata& curve, const LatticeStep& of) {
  Strata strata;
  for (std::size_t k = 0; k < kDraws; ++k)
    strata[k] = static_cast<std::uint16_t>((of[0] * curve[k] + of[1]) % kDraws);
  return strata;
}

/// The next 32 random bits; *state is a counter (splitmix32).
std::uint32_t next(std::uint32_t* state) {
  std::uint32_t z = *state += 0x9e3779b9U;
  z = (z ^ (z >> 16)) * 0x21f0aaadU;
  z = (z ^ (z >> 15)) * 0x735a2d97U;
  return z ^ (z >> 15);
}

template <std::size_t N>
std::array<std::uint16_t, N> permutation(std::uint32_t seed) {
  std::array<std::uint16_t, N> numbers;
  std::iota(numbers.begin(), numbers.end(), std::uint16_t{0});
  for (std::size_t i = N - 1; i > 0; --i)
    std::swap(numbers[i], numbers[(std::uint64_t{next(&seed)} * (i + 1)) >> 32]);
  return numbers;
}

/// The strata in the order of a mixed score: the fraction `shared` of its variance is common to all
/// laws, the rest is the law's own.
Strata mixed(const Strata& common, const Strata& own, double shared) {
  if (shared <= 0) return own;
  const Draws& normals = stratum_normals();
  std::array<std::pair<double, std::uint16_t>, kDraws> scores;
  for (std::uint16_t k = 0; k < kDraws; ++k)
    scores[k] = {std::sqrt(shared) * normals[common[k]] + std::sqrt(1 - shared) * normals[own[k]],
                 k};
  std::ranges::sort(scores);
  Strata strata;
  for (std::uint16_t i = 0; i < kDraws; ++i) strata[scores[i].second] = i;
  return strata;
}

}  // namespace

const Draws& stratum_normals() {
  static const Draws normals = [] {
    Draws list;
    for (std::size_t i = 0; i < kDraws / 2; ++i) {
      list[i] = standard_normal_quantile((static_cast<double>(i) + 0.5) / kDraws);
      list[kDraws - 1 - i] = -list[i];
    }
    return list;
  }();
  return normals;
}

const Strata& common_curve() {
  static const Strata strata = [] {
    Strata of_draws;
    std::iota(of_draws.begin(), of_draws.end(), std::uint16_t{0});  // kCurve
    return of_draws;
  }();
  return strata;
}

const Strata& common_size() {
  static const Strata strata = lattice(common_curve(), kSize);
  return strata;
}

DrawPlaces draw_places(std::uint32_t seed, double shared_noise) {
  const double beyond_noise = common_priors().shared_beyond_noise * shared_noise;
  const Strata curve = mixed(common_curve(), permutation<kDraws>(seed), beyond_noise);
  const auto strata = [&](const LatticeStep& of, double shared) {
    return mixed(lattice(common_curve(), of), lattice(curve, of), shared);
  };
  return {curve, strata(kNoise, shared_noise), strata(kStraying, beyond_noise),
          strata(kChange, beyond_noise)};
}

Draws in_draws(const std::vector<double>& of_ways) {
  static const Strata strata = lattice(common_curve(), kCosts);
  Draws draws{};
  for (std::size_t k = 0; k < kDraws && !of_ways.empty(); ++k)
    draws[k] = of_ways[strata[k] * of_ways.size() / kDraws];
  return draws;
}

const std::array<double, kWays>& way_normals() {
  static const std::array<double, kWays> normals = normals_of_ways(seed_of("straying"));
  return normals;
}

std::array<double, kWays> normals_of_ways(std::uint32_t seed) {
  std::array<double, kWays> normals;
  const std::array<std::uint16_t, kWays> order = order_of_ways(seed);
  for (std::size_t i = 0; i < kWays; ++i)
    normals[i] = standard_normal_quantile((order[i] + 0.5) / kWays);
  return normals;
}

std::array<std::uint16_t, kWays> order_of_ways(std::uint32_t seed) {
  return permutation<kWays>(seed);
}

std::array<LatticeStep, 6> lattice_steps() {
  return {kCurve, kNoise, kStraying, kSize, kCosts, kChange};
}

std::uint32_t seed_of(const std::string& identity) {
  std::uint32_t hash = 2166136261U;
  for (const char c : identity) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

}  // namespace apmt
