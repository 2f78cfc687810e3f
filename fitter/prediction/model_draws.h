// All times of a model in each of its draws. In each draw, the parts are sums of their laws, and
// the whole time is the sum of the parts.
#pragma once

#include <vector>

#include "fitter/model/model_parts.h"
#include "fitter/prediction/what_if_effect.h"
#include "fitter/times/draw_places.h"

namespace apmt {

/// The seed of a law's draws. It is a hash of the law's part and of its kernel or group, so it
/// differs from the seeds of other laws.
std::uint32_t seed_of(Part part, const LawOfPart& its);

/// The fraction of the noise's variance that all times of the program share. Repetitions show it:
/// on a busy machine all kernels of a slow run are slow; on a quiet machine each kernel varies
/// independently. Without repetitions, a quarter is assumed. This assumption has the weight of
/// one degree of freedom, so repetitions soon outweigh it.
double shared_noise(const Model& model);

/// The correlation between the noise of any two laws of the model: shared_noise(), but 0 if there
/// is only one law.
double noise_correlation(const Model& model);

/// The model must outlive it.
class ModelDraws {
 public:
  explicit ModelDraws(const Model& model);

  /// By part, in the order of kParts and laws_of(): the laws of the kernels come first.
  const std::vector<ModelLaw>& laws() const { return laws_; }
  /// The times with a what-if; without one, as in the runs.
  DrawnTimes at(int procs, double work, const WhatIfEffect* effect = nullptr) const;

 private:
  std::vector<ModelLaw> laws_;
};

/// The draws of one law. `values`: see TimeLawEvaluator::draws().
Draws draws_of(const ModelLaw& law, double procs, double work, const WhatIfEffect* effect,
               CurveValues* values = nullptr);

}  // namespace apmt
