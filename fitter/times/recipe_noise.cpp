#include "fitter/times/recipe_noise.h"

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

/// Makes the errors of the points correlated, as they are if slopes wander.
void let_wander(const std::vector<RecipePoint>& points, const Wander& wander, RecipeNoise* n) {
  const std::size_t count = points.size();
  std::vector<double> covariance(count * count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j)
      covariance[i * count + j] =
          wandered(wander, points[i].l, points[j].l) + (i == j ? 1 / n->precision[i] : 0);
  for (const double precision : n->precision) n->ln_prior -= 0.5 * std::log(precision);
  n->ln_prior -= 0.5 * invert(&covariance, count);
  n->beside = std::move(covariance);
  n->pull.assign(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) n->pull[i] += n->beside[i * count + j];
    n->precision[i] = std::exchange(n->beside[i * count + i], 0);
  }
}

RecipeNoise noise_of(const std::vector<RecipePoint>& points, double variance, double weight,
                     const RecipePoint* accidental, const Wander& wander) {
  RecipeNoise n;
  n.ln_prior = std::log(weight);
  n.variance = variance;
  for (const RecipePoint& p : points) {
    const double of_point = variance + square(p.extra_sigma) +
                            (&p == accidental ? square(common_priors().outlier_sd) : 0);
    n.precision.push_back(1 / of_point);
    n.ln_prior -= 0.5 * std::log(of_point);
  }
  n.pull = n.precision;
  if (wander.among > 0) let_wander(points, wander, &n);
  for (const double pull : n.pull) n.sum_precision += pull;
  n.ln_prior -= 0.5 * std::log(n.sum_precision);  // the level is integrated out
  return n;
}

}  // namespace

std::vector<RecipeNoise> recipe_noises(const std::vector<RecipePoint>& points,
                                       const NoisePrior& prior, double accident,
                                       const Wander& wander) {
  std::vector<RecipeNoise> noises;
  double sum = 0;
  for (const double z : kNoiseNodes) sum += std::exp(-0.5 * z * z);
  const auto add_all = [&](double weight, const RecipePoint* accidental) {
    for (const double z : kNoiseNodes)
      noises.push_back(noise_of(points, std::exp(2 * (prior.ln_mean + prior.ln_sd * z)),
                                weight * std::exp(-0.5 * z * z) / sum, accidental, wander));
  };
  // With two points, either may be the outlier; with many, one outlier has little influence. In
  // both cases, outliers are not considered.
  if (points.size() < kFewestWithAccidents || points.size() > kMostWithAccidents) accident = 0;
  add_all(1 - accident, nullptr);
  if (accident > 0)
    for (const RecipePoint& p : points) add_all(accident / static_cast<double>(points.size()), &p);
  return noises;
}

}  // namespace apmt
