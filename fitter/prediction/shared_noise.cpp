#include "fitter/prediction/shared_noise.h"

#include <algorithm>
#include <cmath>

#include "base/square.h"
#include "fitter/model/model_parts.h"
#include "fitter/times/recipe_priors.h"

namespace apmt {
namespace {

/// Adds up, for the repetitions of one point, the noise of all its times: once as if it were fully
/// correlated (together_s) and once as if it were independent (apart_s2). Sampling error is left
/// out, because it does not affect the elapsed time.
struct Added {
  double together_s = 0;
  double apart_s2 = 0;

  void add(const TimeLaw& law, const ModelPoint& at) {
    for (const FitPoint& p : law.points) {
      if (p.procs != at.procs || p.work != at.work) continue;
      const double variance =
          std::max(square(p.rel_sigma) - square(p.rel_sampling), 0.0) * square(p.value);
      together_s += std::sqrt(variance);
      apart_s2 += variance;
    }
  }
};

Added added(const Model& model, const ModelPoint& at) {
  Added sum;
  for (const Part part : kParts)
    for (const LawOfPart& its : laws_of(model, part)) sum.add(*its.law, at);
  return sum;
}

}  // namespace

double shared_noise(const Model& model) {
  // The variance of the elapsed time lies between apart_s2 and together_s^2. Its relative position
  // between them is the shared fraction.
  double freedom = 0;
  double above_apart = 0;
  double range = 0;
  for (const ModelPoint& p : model.points) {
    if (p.repetitions < 2 || p.oversubscribed || !p.complete || p.elapsed_s <= 0) continue;
    const Added sum = added(model, p);
    const double weight = (p.repetitions - 1) / square(p.elapsed_s);
    freedom += p.repetitions - 1;
    above_apart += weight * (square(p.rel_sigma * p.elapsed_s) - sum.apart_s2);
    range += weight * (square(sum.together_s) - sum.apart_s2);
  }
  if (freedom == 0 || !(range > 0)) return common_priors().shared_noise;
  const double usual_range = common_priors().shared_noise_runs * range / freedom;
  return std::clamp(
      (common_priors().shared_noise * usual_range + above_apart) / (usual_range + range), 0.0, 1.0);
}

}  // namespace apmt
