#include "fitter/times/plainness.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "fitter/mechanisms.h"
#include "fitter/times/law_frame.h"
#include "fitter/times/time_fit.h"

namespace apmt {
namespace {

constexpr double kKernels = 1;           // weight of the prior, in kernels
constexpr std::size_t kShareNodes = 40;  // grid over the share of kernels with plain laws
constexpr double kLeast = 1e-9;          // posterior shares are kept this far from 0 and 1

/// The share of kernels that usually follow plain laws.
double usual_share() { return recipe_priors("leaf", false).plain_weight; }

/// The likelihood of plain laws for the points of a kernel, relative to that of curves.
double odds_for_plain(const TimeLaw& law) {
  const double share = std::clamp(LawFrame(law).posterior().plain_posterior(), kLeast, 1 - kLeast);
  const double usual = usual_share();
  return share / (1 - share) * (1 - usual) / usual;
}

/// The posterior of the share of kernels that follow plain laws. Its prior is Beta(u kKernels, (1 -
/// u) kKernels), where u is usual_share().
struct SharePosterior {
  std::array<double, kShareNodes> share{};
  std::array<double, kShareNodes> ln_weight{};

  explicit SharePosterior(const std::vector<double>& odds) {
    const double usual = usual_share();
    for (std::size_t i = 0; i < kShareNodes; ++i) {
      const double s = share[i] = (static_cast<double>(i) + 0.5) / kShareNodes;
      ln_weight[i] =
          (usual * kKernels - 1) * std::log(s) + ((1 - usual) * kKernels - 1) * std::log(1 - s);
      for (const double o : odds) ln_weight[i] += std::log(s * o + 1 - s);
    }
  }

  double mean_without(double odds) const {
    const double highest = *std::max_element(ln_weight.begin(), ln_weight.end());
    double sum = 0;
    double mean = 0;
    for (std::size_t i = 0; i < kShareNodes; ++i) {
      const double w = std::exp(ln_weight[i] - highest) / (share[i] * odds + 1 - share[i]);
      sum += w;
      mean += w * share[i];
    }
    return mean / sum;
  }
};

}  // namespace

void pool_plainness(const std::vector<TimeLaw*>& kernels) {
  std::vector<TimeLaw*> laws;
  for (TimeLaw* law : kernels)
    if (law->kind == TimeLaw::Kind::kRecipe && law->prior == "leaf") laws.push_back(law);
  if (laws.size() < 2 || !mechanisms().pooled_plainness) return;
  std::vector<double> odds;
  for (const TimeLaw* law : laws) odds.push_back(odds_for_plain(*law));
  const SharePosterior posterior(odds);
  for (std::size_t i = 0; i < laws.size(); ++i) {
    laws[i]->plain_weight = posterior.mean_without(odds[i]);
    write_costs(laws[i]);
  }
}

}  // namespace apmt
