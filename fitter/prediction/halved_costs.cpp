#include "fitter/prediction/halved_costs.h"

#include <algorithm>
#include <functional>

#include "base/input_error.h"
#include "fitter/computation/cost_split.h"
#include "fitter/model/model_parts.h"
#include "fitter/prediction/draw_estimates.h"
#include "fitter/times/time_law_eval.h"

namespace apmt {
namespace {

/// The whole time if `halved`, which is included in the part `of`, took half as long.
TimeEstimate with_half(const DrawnTimes& times, const Draws& of, const Draws& halved,
                       double confidence) {
  Draws changed = of;
  for (std::size_t k = 0; k < kDraws; ++k) changed[k] -= 0.5 * halved[k];
  std::vector<const Draws*> parts;
  for (const DrawnTimes::OfPart& part : times.parts)
    parts.push_back(&part.sum == &of ? &changed : &part.sum);
  return estimate_of_whole(parts, confidence);
}

/// Whether it is doubtful, for more than a tenth of the time in messages and collectives, how much
/// of it is latency and how much bandwidth.
bool split_is_doubtful(const Model& model, double procs, double work) {
  constexpr double kMostDoubtful = 0.1;
  double all_s = 0, doubtful_s = 0;
  for (const Part part : {Part::kCommP2p, Part::kCommColl})
    for (const LawOfPart& its : laws_of(model, part)) {
      const double time_s = TimeLawEvaluator(*its.law).centre(procs, work, {});
      all_s += time_s;
      if (!cost_split(part, its).doubt.empty()) doubtful_s += time_s;
    }
  return doubtful_s > kMostDoubtful * all_s;
}

}  // namespace

std::vector<HalvedCost> halved_costs(const Model& model, const Predictor& predictor,
                                     const Scenario& scenario) {
  if (knows_only_wholes(model)) return {};
  const KernelTimes times = predictor.kernel_times(scenario);
  if (!(times.whole.time_s > 0)) return {};
  std::vector<HalvedCost> list;
  const auto add = [&](HalvedCost change) {
    change.saved = 1 - change.time.time_s / times.whole.time_s;
    if (change.saved > 0) list.push_back(std::move(change));
  };
  for (const DrawnTimes::OfPart& part : times.drawn.parts) {
    if (part.part != Part::kComp) {
      add({.of = HalvedCost::Of::kPart,
           .part = key(part.part),
           .time = with_half(times.drawn, part.sum, part.sum, scenario.confidence)});
      continue;
    }
    for (std::size_t i = 0; i < part.laws.size(); ++i)
      if (model.kernels.at(i).role != KernelRole::kRest && times.kernels_s[i] > 0)
        add({.of = HalvedCost::Of::kKernel,
             .kernel = i,
             .time = with_half(times.drawn, part.sum, part.laws[i], scenario.confidence)});
  }
  const bool has_split = !split_is_doubtful(model, times.drawn.procs, times.drawn.work);
  for (const Knob knob : kKnobs) {
    if (scenario.what_if.of(knob)) continue;
    if (!has_split && (knob == Knob::kLatency || knob == Knob::kBandwidth)) continue;
    Scenario changed = scenario;
    changed.what_if.of(knob) = KnobChange{KnobChange::Kind::kFactor, is_rate(knob) ? 2.0 : 0.5};
    try {
      add({.of = HalvedCost::Of::kMachine, .knob = knob, .time = predictor.glance(changed).time});
    } catch (const InputError&) {  // the runs do not show what this figure costs
    }
  }
  std::ranges::stable_sort(list, std::greater(), &HalvedCost::saved);
  return list;
}

}  // namespace apmt
