// All times of a model in each of its draws: kernels, parts and the whole are one distribution.
#pragma once

#include <vector>

#include "fitter/draw_places.h"
#include "fitter/model_parts.h"
#include "fitter/what_if_effect.h"

namespace apmt {

/// The seed of a law, made from its part and, for computation, its kernel; it distinguishes the
/// law's draws from those of other laws.
std::uint32_t seed_of(Part part, const KernelModel* kernel);

/// The correlation of the noise of two laws of the model (shared_noise.h); 0 if there is only one
/// law.
double noise_correlation(const Model& model);

/// The times of one process count and problem size.
struct DrawnTimes {
  struct OfPart {
    Part part;
    std::vector<Draws> laws;  // of computation one for each kernel, in the model's order
    Draws sum{};
  };
  std::vector<OfPart> parts;
  Draws whole{};                                   // of each draw, the sum of all its laws
  TimeEstimate estimate(double confidence) const;  // of the whole
};

/// The model must outlive it.
class ModelDraws {
 public:
  explicit ModelDraws(const Model& model);

  const std::vector<PartLaws>& parts() const { return parts_; }
  /// With `each_law` the times of every law are kept, otherwise only the sums.
  DrawnTimes at(double procs, double work, const WhatIfEffect& effect, bool each_law) const;
  /// The draws of one law of a part; empty if the model lacks the part.
  Draws law(Part part, std::size_t index, double procs, double work,
            const WhatIfEffect& effect) const;

 private:
  std::vector<PartLaws> parts_;
  std::vector<std::vector<DrawPlaces>> places_;  // as parts_ and their laws
};

}  // namespace apmt
