// Prior assumptions about each kind of time (recipe.h explains the families of curves). Their
// values are those of configs/priors.yaml, which also explains them.
#pragma once

#include <string>
#include <vector>

#include "base/checked_json.h"
#include "fitter/times/recipe_curves.h"

namespace apmt {

struct NormalPrior {
  double mean = 0;
  double sd = 1;
};
/// From [mean, sd], or for ln x from {median, ln_sd}: the median of x and the deviation of ln x.
NormalPrior normal_prior(const Json& data);

/// A change that the runs do not show, such as a cause of waiting that begins with more processes.
struct UnseenChange {
  double chance = 0;      // from twice the largest process count on; less before
  NormalPrior ln_factor;  // ln of the factor on the time
  /// The chance at this distance (in ln) from the measured range.
  double chance_at(double distance) const;
};

/// The letters in the comments are those of recipe.h.
struct RecipePriors {
  NormalPrior slope;            // s
  double perfect = 0;           // share of family P that is exactly s = -1
  NormalPrior logit_share;      // logit f
  NormalPrior fall;             // a
  NormalPrior rise;             // b, at most 1
  double two_terms = 0;         // share of family T in the weight that counts and plain laws leave
  std::vector<PlainLaw> plain;  // family H; weights add up to 1; empty: not used
  double plain_weight = 0;      // share of family H, if used, in the weight that counts leave
  double weight_plain() const { return plain.empty() ? 0 : plain_weight; }
  NormalPrior logit_second;  // logit f of the second term at P_max, family H
  NormalPrior noise;    // of ln sigma, the scatter of a point about its curve, without repetitions
  double widening = 0;  // w: standard deviation of ln T per unit of distance
  double plain_widening = 0;  // instead of w, for families H and C
  UnseenChange change;        // of families H and C
  Wander wander;              // how far slopes wander (recipe.h)
  double accident = 0;        // probability that one of the points is an outlier
  double discrepancy = 0;     // relative deviation of points from every curve
  NormalPrior size_scatter;   // ln of how far the times at one problem size lie off the curve
};

/// Assumptions that are the same for all kinds of time.
struct CommonPriors {
  double counts = 0;         // prior weight of all families of counts together
  double tested_counts = 0;  // the same if runs at other frequencies have shown the costs
  double counts_ahead = 0;   // the same if accesses to memory are known to leave their law
  double counts_stray = 0;   // of such accesses: sd of ln T / change of ln T by memory
  double begins_to_fit = 0;  // per unit of ln work: that data in memory begin to fit into caches
  NormalPrior logit_count;   // logit p of the second count
  double outlier_sd = 0;     // of ln T of an outlier, in addition to the usual scatter
  double new_size_sd = 0;    // of ln T at a size that was not profiled, if fewer than 3 were
  // Of ln of the cost of communication: for each factor of 4 by which calls of collectives are
  // smaller or larger than in the runs, and at most; if messages between nodes were never seen.
  double other_calls_sd = 0;
  double most_other_calls_sd = 0;
  double other_nodes_sd = 0;
  double procs_alone = 0;   // if sizes vary: factor on distances in ln P alone
  double shared_noise = 0;  // share of the noise's variance that all times of a run share
  double shared_noise_runs = 0;
  double shared_beyond_noise = 0;
};
const CommonPriors& common_priors();

/// `name`: "total", "leaf", "communication", "waiting", "start", "end", "off-cpu".
/// `in_work`: whether the law is one in x = D/P and the problem sizes vary. If so, only family T,
/// if there is one, and some plain laws can also depend on P.
RecipePriors recipe_priors(const std::string& name, bool in_work);

}  // namespace apmt
