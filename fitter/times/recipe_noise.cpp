#include "fitter/times/recipe_noise.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/square.h"

namespace apmt {
namespace {

/// Inverse of a positive definite matrix, in place; returns the logarithm of its determinant.
double invert(std::vector<double>* matrix, std::size_t n) {
  std::vector<double>& m = *matrix;
  double ln_determinant = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double pivot = m[k * n + k];
    ln_determinant += std::log(pivot);
    m[k * n + k] = 1;
    for (std::size_t j = 0; j < n; ++j) m[k * n + j] /= pivot;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = std::exchange(m[i * n + k], 0);
      for (std::size_t j = 0; j < n; ++j) m[i * n + j] -= factor * m[k * n + j];
    }
  }
  return ln_determinant;
}

/// Makes the errors of the points correlated, as they are if slopes wander. Returns the logarithm
/// of the determinant of their covariance.
double let_wander(const std::vector<RecipePoint>& points, RecipeNoise* n) {
  const std::size_t count = points.size();
  std::vector<double> covariance(count * count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j)
      covariance[i * count + j] =
          wandered(n->wander, points[i].l, points[j].l) + (i == j ? 1 / n->precision[i] : 0);
  const double ln_determinant = invert(&covariance, count);
  n->beside = std::move(covariance);
  n->pull.assign(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) n->pull[i] += n->beside[i * count + j];
    n->precision[i] = std::exchange(n->beside[i * count + i], 0);
  }
  return ln_determinant;
}

/// Points with an index between first and end.
struct PointRange {
  std::size_t first = 0;
  std::size_t end = 0;
};

RecipeNoise noise_of(const std::vector<RecipePoint>& points, double variance, double weight,
                     PointRange outliers, const Wander& wander) {
  RecipeNoise n;
  n.variance = variance;
  n.wander = wander;
  double ln_determinant = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool is_outlier = i >= outliers.first && i < outliers.end;
    const double of_point = variance + square(points[i].extra_sigma) +
                            (is_outlier ? square(common_priors().outlier_sd) : 0);
    n.precision.push_back(1 / of_point);
    ln_determinant += std::log(of_point);
  }
  n.pull = n.precision;
  if (wander.among > 0) ln_determinant = let_wander(points, &n);
  for (const double pull : n.pull) n.sum_precision += pull;
  // The level is integrated out.
  n.ln_prior = std::log(weight) - 0.5 * (ln_determinant + std::log(n.sum_precision));
  return n;
}

double variance(const NoisePrior& prior, double z) {
  return std::exp(2 * (prior.ln_mean + prior.ln_sd * z));
}

/// With two points, either may be the outlier; with many, one outlier has little influence. In both
/// cases, outliers are not considered.
bool may_have_outlier(const std::vector<RecipePoint>& points, double accident) {
  return accident > 0 && points.size() >= kFewestWithAccidents &&
         points.size() <= kMostWithAccidents;
}

}  // namespace

std::vector<RecipeNoise> recipe_noises(const std::vector<RecipePoint>& points,
                                       const NoisePrior& prior, double accident,
                                       const Wander& wander) {
  std::vector<RecipeNoise> noises;
  double sum = 0;
  for (const double z : kNoiseNodes) sum += std::exp(-0.5 * z * z);
  const auto add_all = [&](double weight, PointRange outliers) {
    for (const double z : kNoiseNodes)
      noises.push_back(noise_of(points, variance(prior, z), weight * std::exp(-0.5 * z * z) / sum,
                                outliers, wander));
  };
  if (!may_have_outlier(points, accident)) accident = 0;
  add_all(1 - accident, {});
  for (std::size_t i = 0; i < points.size() && accident > 0; ++i)
    add_all(accident / static_cast<double>(points.size()), {i, i + 1});
  return noises;
}

RecipeNoise loosest_noise(const std::vector<RecipePoint>& points, const NoisePrior& prior,
                          double accident, const Wander& wander) {
  const PointRange outliers{0, may_have_outlier(points, accident) ? points.size() : 0};
  return noise_of(points,
                  variance(prior, *std::max_element(kNoiseNodes.begin(), kNoiseNodes.end())), 1,
                  outliers, wander);
}

}  // namespace apmt
