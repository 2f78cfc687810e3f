// Possible values for the scatter of points about a curve.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "fitter/times/recipe_curves.h"
#include "fitter/times/recipe_priors.h"

namespace apmt {

/// The points of the quadrature over ln sigma, where sigma is the scatter of the measured times.
/// They are given as distances from the mean of the prior, in standard deviations.
inline constexpr std::array<double, 7> kNoiseNodes = {0, 0.75, -0.75, 1.5, -1.5, 2.25, -2.25};
/// Numbers of points for which outliers are considered.
inline constexpr std::size_t kFewestWithAccidents = 3, kMostWithAccidents = 8;

/// The points of the quadrature over the noise, for curves whose slopes wander by `wander`: first
/// all kNoiseNodes without an outlier. If outliers are considered, all kNoiseNodes follow again for
/// each point, with that point as the outlier.
std::vector<RecipeNoise> recipe_noises(const std::vector<RecipePoint>& points,
                                       const NoisePrior& prior, double accident,
                                       const Wander& wander);

/// A noise with which no curve misses the points by more (chi^2) than with any of recipe_noises().
RecipeNoise loosest_noise(const std::vector<RecipePoint>& points, const NoisePrior& prior,
                          double accident, const Wander& wander);

}  // namespace apmt
