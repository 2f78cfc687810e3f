// Prior assumptions about each kind of time (recipe.h explains the families of curves).
#pragma once

#include <string>
#include <vector>

#include "fitter/times/recipe_curves.h"

namespace apmt {

struct NormalPrior {
  double mean = 0;
  double sd = 1;
};

/// ln sigma ~ N(ln_mean, ln_sd^2): the scatter of a point about its curve.
struct NoisePrior {
  double ln_mean = -2.995732273553991;  // ln 0.05
  double ln_sd = 1;
};

/// The letters in the comments are those of recipe.h.
struct RecipePriors {
  NormalPrior slope{-0.9, 0.15};      // s
  double perfect = 0;                 // share of family P that is exactly s = -1
  NormalPrior curvature{0.05, 0.05};  // k
  NormalPrior logit_share{-1, 1};     // logit f
  NormalPrior fall{1, 0.05};          // a
  NormalPrior rise{0, 0.25};          // b, at most 1
  double weight_p = 1.0 / 3;
  double weight_q = 1.0 / 3;
  double weight_t = 1.0 / 3;
  std::vector<PlainLaw> plain;    // family H; weights add up to 1; empty: not used
  double plain_weight = 2.0 / 3;  // share of family H, if used, in the weight that counts leave
  double weight_plain() const { return plain.empty() ? 0 : plain_weight; }
  NormalPrior logit_second{-3, 2};  // logit f of the second term at P_max, family H
  NormalPrior drift{0, 0.05};       // d, if unit costs drift at all, family C
  NoisePrior noise;                 // prior, before repetitions are known
  double widening = 0.1;            // w: standard deviation of ln T per unit of distance
  Wander wander;                    // how far slopes wander (recipe.h)
  double accident = 0;              // probability that one of the points is an outlier
  /// Relative deviation of points from every curve, which remains even if their runs are repeated
  /// many times.
  double discrepancy = 0.01;
  /// tau is how far the times at one problem size lie off the curve through several sizes; ln tau
  /// is normally distributed. The root mean square of tau is 5 %, as much as the usual deviation of
  /// a point from the curve.
  NoisePrior size_scatter{-4.605170185988091, 1.25};  // ln 0.01
};

/// `name`: "total", "leaf", "communication", "waiting", "overhead" (T_others), "off-cpu".
/// `in_work`: whether the law is one in x = D/P and the problem sizes vary. If so, family P is left
/// out, and only family T and some plain laws can also depend on P.
RecipePriors recipe_priors(const std::string& name, bool in_work);

}  // namespace apmt
