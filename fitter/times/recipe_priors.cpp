#include "fitter/times/recipe_priors.h"

#include <cmath>
#include <utility>

#include "base/input_error.h"
#include "fitter/mechanisms.h"

namespace apmt {
namespace {

constexpr double kOwnPairs = -2;  // exponent of P in the time for all pairs of a rank's items

/// The usual forms of a kernel's time per rank, whose work is divided among the ranks entirely or
/// in part. Volumes (1/P), surfaces (P^-2/3 in 3-D, P^-1/2 in 2-D), and volumes with one more term
/// have equal odds; constant time, and two terms that hardly differ, have a third of these odds.
/// Divided work seldom has terms that rise faster than a logarithm, so only the curves cover such
/// terms. Work on pairs is rare. It is included because it is easy to recognise. Only the time for
/// pairs of all items falls more slowly than 1/P at first and as 1/P later. Only the time for pairs
/// of a rank's own items (P^-2) falls faster than 1/P, alone or beside work that falls as 1/P.
std::vector<PlainLaw> plain_compute_laws() {
  using S = PlainLaw::Second;
  constexpr double pairs = 0.01, own_pairs = 0.005;
  constexpr double rare = (1 - pairs - 2 * own_pairs) / 20, usual = 3 * rare;
  return {{usual, -1, S::kNone, 0},
          {usual, -2.0 / 3, S::kNone, 0},
          {usual, -0.5, S::kNone, 0},
          {rare, 0, S::kNone, 0},
          {usual, -1, S::kConstant, 0},
          {usual, -1, S::kLog, 0},
          {usual, -1, S::kPower, -0.5},
          {rare, -1, S::kPower, -2.0 / 3},
          {pairs, -1, S::kOthers, 0},
          {own_pairs, kOwnPairs, S::kNone, 0},
          {own_pairs, kOwnPairs, S::kPower, -1}};
}

/// Laws for campaigns with several problem sizes. Two cases are assumed to be equally likely: a
/// kernel's time depends only on the work per process, or it also depends on the number of
/// processes, because processes share memory, and more processes have more borders and imbalance.
std::vector<PlainLaw> plain_compute_laws_in_work() {
  using S = PlainLaw::Second;
  constexpr double alone = 0.5 / 5, beside = 0.5 / 2;
  return {{alone, -1, S::kNone, 0},     {alone, -2.0 / 3, S::kNone, 0}, {alone, -0.5, S::kNone, 0},
          {alone, -1, S::kConstant, 0}, {alone, -1, S::kPower, -0.5},   {beside, -1, S::kLog, 0},
          {beside, -1, S::kPower, 0.5}};
}

/// Laws of the time before and after the main part. Besides constant and rising laws there is 1 -
/// g/P: if one process works alone (it gathers, or writes) while all others wait, the mean wait
/// over all processes is 1 - 1/P of that work.
std::vector<PlainLaw> plain_overhead_laws() {
  using S = PlainLaw::Second;
  return {{0.4, 0, S::kNone, 0},
          {0.25, 0, S::kLog, 0},
          {0.15, 0, S::kPower, 0.5},
          {0.2, 0, S::kOthers, 0}};
}

/// Leaves out the laws, families and effects that `on` switches off. The weights of the remaining
/// laws and families keep their proportions.
void leave_out(const Mechanisms& on, bool of_kernels, RecipePriors* p) {
  if (!on.plain_laws) p->plain.clear();
  double left = 1;
  if (!(of_kernels ? on.work_on_pairs : on.serial_end))
    for (PlainLaw& law : p->plain)
      if (law.second == PlainLaw::Second::kOthers || law.exponent == kOwnPairs)
        left -= std::exchange(law.weight, 0);
  std::erase_if(p->plain, [](const PlainLaw& law) { return law.weight == 0; });
  for (PlainLaw& law : p->plain) law.weight /= left;
  if (!on.drifting_slope) p->weight_q = 0;
  if (!on.overhead_share) p->weight_t = 0;
  const double families = p->weight_p + p->weight_q + p->weight_t;
  for (double* weight : {&p->weight_p, &p->weight_q, &p->weight_t}) *weight /= families;
  if (!on.perfect_scaling) p->perfect = 0;
  if (!on.wandering_slopes) p->wander = {};
  if (!on.outliers) p->accident = 0;
}

}  // namespace

RecipePriors recipe_priors(const std::string& name, bool in_work) {
  RecipePriors p;
  if (name != "total") p.widening = 0.03;
  if (name == "leaf") {
    p.slope = {-0.7, 0.4};
    p.curvature = {0.05, 0.08};
    p.logit_share = {0, 2};
    p.rise = {-0.2, 0.4};
    p.plain = in_work ? plain_compute_laws_in_work() : plain_compute_laws();
  } else if (name == "communication") {
    // How communication behaves: bytes per rank fall, latencies are constant, and trees grow with
    // log P.
    p.slope = {-0.2, 0.5};
    p.curvature = {0.05, 0.08};
    p.logit_share = {0, 2};
    p.fall = {0.8, 0.2};
    p.rise = {0.1, 0.4};
    // If the cost of messages changes with P, it grows, because more messages share the links.
    p.drift = {0.15, 0.05};
  } else if (name == "waiting") {
    // Waiting follows the excess of the busiest rank over the mean. This excess falls with the work
    // per rank, but more slowly: as P^-1/2 if the ranks' shares are independent. It jumps from one
    // process count to the next, because of how the problem happens to divide among the ranks.
    p.slope = {-0.5, 0.4};
    p.curvature = {0.02, 0.05};
    p.logit_share = {0, 2};
    p.fall = {0.8, 0.2};
    p.rise = {0, 0.3};
    p.discrepancy = 0.1;
    p.widening = 0.2;
  } else if (name == "overhead") {
    // Starting and ending takes slightly longer with more processes.
    p.slope = {0.15, 0.25};
    p.curvature = {0.02, 0.05};
    p.logit_share = {1, 1};
    p.fall = {0.5, 0.3};
    p.rise = {0.2, 0.3};
    p.plain = plain_overhead_laws();
  } else if (name == "off-cpu") {
    p.slope = {-0.5, 0.5};
    p.curvature = {0.05, 0.08};
    p.logit_share = {0, 2};
    p.rise = {-0.2, 0.4};
  } else if (name == "total") {
    // These values are midway between the priors of an earlier study and the priors that fit the
    // development series of bench/series best, because neither source has many series. Programs
    // that scale perfectly are common.
    p.slope = {-0.9, 0.2};
    p.noise.ln_mean = std::log(0.03);
    p.weight_p = 0.4;
    p.perfect = 0.25;
    p.weight_q = p.weight_t = 0.3;
    p.wander = {.among = 0.15, .ahead = 0.25};
    p.accident = 0.1;
  } else {
    throw InputError("", "no set of priors is called '" + name + "'");
  }
  if (in_work) {
    p.weight_p = 0;
    p.weight_q = 2.0 / 3;
    p.weight_t = 1.0 / 3;
    p.logit_second = {-2, 1.5};
  }
  leave_out(mechanisms(), name == "leaf", &p);
  return p;
}

}  // namespace apmt
