#include "fitter/prediction/model_draws.h"

#include <algorithm>
#include <cmath>

#include "base/square.h"
#include "fitter/mechanisms.h"
#include "fitter/prediction/draw_estimates.h"
#include "fitter/times/recipe_priors.h"

namespace apmt {

std::uint32_t seed_of(Part part, const LawOfPart& its) {
  std::string identity = key(part);
  if (its.kernel != nullptr)
    for (const std::string& text : {its.kernel->id.object, its.kernel->id.linkage_name,
                                    its.kernel->id.source, its.kernel->name})
      identity += '\n' + text;
  if (!its.group.empty()) identity += '\n' + its.group;
  return seed_of(identity);
}

double shared_noise(const Model& model) {
  // The variance of the elapsed time lies between apart_s2 and together_s^2. Its relative position
  // between them is the shared fraction.
  double freedom = 0;
  double above_apart = 0;
  double range = 0;
  for (const ModelPoint& p : model.points) {
    if (p.repetitions < 2 || p.oversubscribed || !p.complete || p.elapsed_s <= 0) continue;
    // The noise of all times of the point, as if it were fully correlated, and as if it were
    // independent. Sampling error is left out, because it does not affect the elapsed time.
    double together_s = 0;
    double apart_s2 = 0;
    for (const Part part : kParts)
      for (const LawOfPart& its : laws_of(model, part))
        for (const FitPoint& f : its.law->points) {
          if (f.procs != p.procs || f.work != p.work) continue;
          const double variance =
              std::max(square(f.rel_sigma) - square(f.rel_sampling), 0.0) * square(f.value);
          together_s += std::sqrt(variance);
          apart_s2 += variance;
        }
    const double weight = (p.repetitions - 1) / square(p.elapsed_s);
    freedom += p.repetitions - 1;
    above_apart += weight * (square(p.rel_sigma * p.elapsed_s) - apart_s2);
    range += weight * (square(together_s) - apart_s2);
  }
  if (freedom == 0 || !(range > 0)) return common_priors().shared_noise;
  const double usual_range = common_priors().shared_noise_runs * range / freedom;
  return std::clamp(
      (common_priors().shared_noise * usual_range + above_apart) / (usual_range + range), 0.0, 1.0);
}

double noise_correlation(const Model& model) {
  std::size_t laws = 0;
  for (const Part part : kParts) laws += laws_of(model, part).size();
  return laws > 1 && mechanisms().shared_noise ? shared_noise(model) : 0;
}

TimeEstimate DrawnTimes::estimate(double confidence) const {
  std::vector<const Draws*> sums;
  for (const OfPart& part : parts) sums.push_back(&part.sum);
  return estimate_of_whole(sums, confidence);
}

ModelDraws::ModelDraws(const Model& model) {
  const double shared = noise_correlation(model);
  for (const Part part : kParts)
    for (const LawOfPart& its : laws_of(model, part))
      laws_.push_back({part, its, TimeLawEvaluator(*its.law),
                       draw_places(seed_of(part, its), shared), is_nothing_alone(model, part)});
}

DrawnTimes ModelDraws::at(int procs, double work, const WhatIfEffect* effect) const {
  DrawnTimes times{.procs = procs, .work = work, .parts = {}};
  CurveValues values;
  for (const ModelLaw& law : laws_) {
    if (times.parts.empty() || times.parts.back().part != law.part)
      times.parts.push_back({law.part, {}, {}});
    DrawnTimes::OfPart& drawn = times.parts.back();
    const Draws& draws = drawn.laws.emplace_back(draws_of(law, procs, work, effect, &values));
    for (std::size_t k = 0; k < kDraws; ++k) drawn.sum[k] += draws[k];
  }
  for (const DrawnTimes::OfPart& part : times.parts)
    for (std::size_t k = 0; k < kDraws; ++k) times.whole[k] += part.sum[k];
  return times;
}

Draws draws_of(const ModelLaw& law, double procs, double work, const WhatIfEffect* effect,
               CurveValues* values) {
  if (law.is_nothing_at(procs)) return {};
  const CostFactors factors = effect ? effect->factors(law, procs, work) : CostFactors();
  Draws draws = law.time.draws(procs, work, factors, law.places, values);
  if (effect) effect->slow_down(law, procs, work, &draws);
  return draws;
}

}  // namespace apmt
