#include "fitter/prediction/model_draws.h"

#include "fitter/mechanisms.h"
#include "fitter/prediction/draw_estimates.h"
#include "fitter/prediction/shared_noise.h"

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

ModelDraws::ModelDraws(const Model& model) : parts_(laws_of_parts(model)) {
  const double shared = noise_correlation(model);
  for (const PartLaws& p : parts_) {
    places_.emplace_back();
    for (const LawOfPart& its : laws_of(model, p.part))
      places_.back().push_back(draw_places(seed_of(p.part, its), shared));
  }
}

DrawnTimes ModelDraws::at(double procs, double work, const WhatIfEffect& effect,
                          bool each_law) const {
  DrawnTimes times;
  CurveValues values;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const PartLaws& part = parts_[p];
    times.parts.push_back({part.part, {}, {}});
    DrawnTimes::OfPart& drawn = times.parts.back();
    if (each_law) drawn.laws.reserve(part.laws.size());
    for (std::size_t i = 0; i < part.laws.size(); ++i) {
      Draws law{};
      if (!part.is_nothing_at(procs)) {
        law = part.laws[i].draws(procs, work, effect.factors(part.part, i, procs, work),
                                 places_[p][i], &values);
        effect.slow_down(part.part, i, procs, work, &law);
      }
      for (std::size_t k = 0; k < kDraws; ++k) drawn.sum[k] += law[k];
      if (each_law) drawn.laws.push_back(law);
    }
    for (std::size_t k = 0; k < kDraws; ++k) times.whole[k] += drawn.sum[k];
  }
  return times;
}

Draws ModelDraws::law(Part part, std::size_t index, double procs, double work,
                      const WhatIfEffect& effect) const {
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    if (parts_[p].part != part || parts_[p].is_nothing_at(procs)) continue;
    Draws draws = parts_[p].laws[index].draws(procs, work, effect.factors(part, index, procs, work),
                                              places_[p][index]);
    effect.slow_down(part, index, procs, work, &draws);
    return draws;
  }
  return {};
}

}  // namespace apmt
