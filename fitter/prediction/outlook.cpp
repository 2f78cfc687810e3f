#include "fitter/prediction/outlook.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "base/input_error.h"
#include "fitter/computation/cost_split.h"
#include "fitter/model/model_parts.h"
#include "fitter/prediction/draw_estimates.h"
#include "fitter/prediction/scenario_sizes.h"
#include "fitter/times/time_law_eval.h"

namespace apmt {
namespace {

// Multiple of the largest profiled count; beyond it, predictions are worthless.
constexpr double kFarthestOutlook = 1000;
constexpr double kMostProcs = 1 << 24;

/// The process count with the smallest `value`. Begins with the best count in `procs` (each is
/// twice the one before), and compares it with a count on either side of it. Moves to the best of
/// the three, halves the distance between them, and repeats this.
template <typename F>
int least(const std::vector<int>& procs, F value) {
  const auto best = std::ranges::min_element(procs, {}, value);
  int low = best == procs.begin() ? *best : *std::prev(best);
  int middle = *best;
  int high = std::next(best) == procs.end() ? *best : *std::next(best);
  while (high - low > std::max(2, middle / 8)) {
    const int left = low + (middle - low) / 2;
    const int right = middle + (high - middle + 1) / 2;
    if (left != middle && value(left) < value(middle)) {
      high = middle;
      middle = left;
    } else if (right != middle && value(right) < value(middle)) {
      low = middle;
      middle = right;
    } else {
      low = left;
      high = right;
    }
  }
  return middle;
}

/// Process counts, each about 6 % larger than the one before.
std::vector<int> counts_between(int from, int to) {
  std::vector<int> counts;
  for (long procs = from; procs < to; procs += std::max<long>(1, procs / 16))
    counts.push_back(static_cast<int>(procs));
  counts.push_back(to);
  return counts;
}

/// The allowed count with the lowest cost; absent if none is allowed.
std::optional<int> cheapest_of(std::vector<int> counts, const std::function<bool(int)>& is_allowed,
                               const std::function<double(int)>& cost) {
  std::erase_if(counts, std::not_fn(is_allowed));
  if (counts.empty()) return std::nullopt;
  return *std::ranges::min_element(counts, {}, cost);
}

Outlook look_along(Glances* glances, const Model& model, const Scenario& scenario,
                   Outlook outlook) {
  const Glance& first = glances->at(outlook.from_procs);
  if (!first.is_complete)
    outlook.why_not = "parts of the time are missing, and any of them may limit the scaling";
  else if (first.time.time_s <= 0)
    outlook.why_not = "the predicted time is zero";
  if (!outlook.why_not.empty()) return outlook;

  outlook.from_time_s = first.time.time_s;
  const std::vector<int> procs = doublings(outlook.from_procs, outlook.to_procs);
  outlook.confidence = scenario.confidence;
  outlook.half_efficiency = first_below(glances, procs, 0.5, scenario.confidence);
  if (!knows_only_wholes(model))
    outlook.verdicts = changes_of_bound(glances, procs, scenario.confidence);
  if (ScenarioSizes(model, scenario).scaling() == Scaling::kWeak)
    return outlook;  // more processes do not shorten the run

  const auto choice = [&](int p) {
    const double time_s = glances->at(p).time.time_s;
    return Outlook::Choice{{p, p, p}, time_s, core_hours(p, time_s)};
  };
  const int fastest = least(procs, [&](int p) { return glances->at(p).time.time_s; });
  outlook.fastest = choice(fastest);
  outlook.fastest->procs = least_time(glances, fastest, scenario.confidence);
  outlook.still_falling = fastest >= procs.back();
  if (!outlook.deadline_s) return outlook;
  const auto time_s = [&](int p) { return glances->at(p).time.time_s; };
  if (const auto cheapest = cheapest_of(
          counts_between(outlook.from_procs, fastest),
          [&](int p) { return time_s(p) <= *outlook.deadline_s; },
          [&](int p) { return core_hours(p, time_s(p)); }))
    outlook.cheapest = choice(*cheapest);
  return outlook;
}

Json json_of_choice(const std::optional<ResourceChoice>& choice) {
  if (!choice) return nullptr;
  return {{"procs", choice->procs},
          {"params", choice->params},
          {"nodes", choice->nodes ? Json(*choice->nodes) : Json()},
          {"time_s", choice->time.time_s},
          {"low_s", choice->time.low_s},
          {"high_s", choice->time.high_s},
          {"core_hours", choice->core_hours}};
}

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

Outlook look_ahead(const Predictor& predictor, const Model& model, const Scenario& scenario,
                   std::optional<double> deadline_s) {
  if (!(deadline_s.value_or(1) > 0)) throw InputError("", "the deadline must be above 0");
  Outlook outlook;
  outlook.deadline_s = deadline_s;
  outlook.from_procs = model.min_procs();
  outlook.to_procs = static_cast<int>(std::min(kFarthestOutlook * model.max_procs(), kMostProcs));
  Glances glances = glances_of(predictor, scenario);
  try {
    return look_along(&glances, model, scenario, outlook);
  } catch (const InputError& error) {
    // The model can answer the what-if at the requested count, but not at every count that the
    // search visits.
    if (error.code() != ExitCode::kNotEnoughData) throw;
    outlook.why_not = error.what();
    return outlook;
  }
}

Json to_json(const Outlook& o) {
  const auto choice = [](const std::optional<Outlook::Choice>& c, Json interval) {
    return c ? Json{{"procs", c->procs.procs},
                    {"procs_interval", std::move(interval)},
                    {"time_s", c->time_s},
                    {"core_hours", c->core_hours}}
             : Json();
  };
  Json verdicts = Json::array();
  for (const BoundChange& v : o.verdicts)
    verdicts.push_back({{"from_procs", v.from.procs},
                        {"from_procs_interval", interval_of(v.from)},
                        {"bound", v.bound}});
  return {{"why_not", o.why_not.empty() ? Json() : Json(o.why_not)},
          {"from_procs", o.from_procs},
          {"from_time_s", json_or_null(o.from_time_s)},
          {"to_procs", o.to_procs},
          {"half_efficiency_procs", o.half_efficiency ? Json(o.half_efficiency->procs) : Json()},
          {"half_efficiency_interval", interval_of(o.half_efficiency)},
          {"verdicts", std::move(verdicts)},
          {"fastest", choice(o.fastest, o.fastest ? interval_of(o.fastest->procs) : Json())},
          {"still_falling", o.still_falling},
          {"deadline_s", json_or_null(o.deadline_s)},
          {"cheapest_in_time", choice(o.cheapest, Json())}};
}

Resources find_resources(const Model& model, const Predictor& predictor, const Scenario& scenario,
                         const ResourceLimit& limit) {
  if (limit.deadline_s.has_value() == limit.budget_core_hours.has_value())
    throw InputError("", "give a deadline or a budget, one of the two");
  if (limit.deadline_s.value_or(1) <= 0 || limit.budget_core_hours.value_or(1) <= 0)
    throw InputError("", "the deadline and the budget must be above 0");
  Resources answer;
  answer.limit = limit;
  answer.confidence = scenario.confidence;
  const Outlook outlook = look_ahead(predictor, model, scenario);
  answer.why_not = outlook.why_not;
  if (answer.why_not.empty() && !outlook.fastest)
    answer.why_not = "the work grows with the processes, so more of them do not shorten the run";
  if (!answer.why_not.empty()) return answer;
  Glances glances = glances_of(predictor, scenario);
  const ScenarioSizes sizes(model, scenario);
  const auto at = [&](int procs) {
    const TimeEstimate& time = glances.at(procs).time;
    ResourceChoice choice{procs, sizes.params_at(procs), std::nullopt, time,
                          core_hours(procs, time.time_s)};
    if (model.cores_per_node > 0)
      choice.nodes = (procs + model.cores_per_node - 1) / model.cores_per_node;
    return choice;
  };
  answer.fastest = at(outlook.fastest->procs.procs);
  // More processes than at the fastest count take longer and cost more, so the search ends at this
  // count.
  const std::vector<int> counts = counts_between(outlook.from_procs, answer.fastest->procs);
  const auto cost = [&](int procs) {
    const double time_s = glances.at(procs).time.time_s;
    return limit.deadline_s ? core_hours(procs, time_s) : time_s;
  };
  const auto best_if = [&](double TimeEstimate::*end) {
    const auto meets_limit = [&](int procs) {
      const double time_s = glances.at(procs).time.*end;
      return limit.deadline_s ? time_s <= *limit.deadline_s
                              : core_hours(procs, time_s) <= *limit.budget_core_hours;
    };
    const auto procs = cheapest_of(counts, meets_limit, cost);
    return procs ? std::optional(at(*procs)) : std::nullopt;
  };
  answer.choice = best_if(&TimeEstimate::time_s);
  answer.sure = best_if(&TimeEstimate::high_s);
  answer.cheapest = at(*std::ranges::min_element(
      counts, {}, [&](int procs) { return core_hours(procs, glances.at(procs).time.time_s); }));
  return answer;
}

Json to_json(const Resources& answer) {
  return {{"deadline_s", json_or_null(answer.limit.deadline_s)},
          {"budget_core_hours", json_or_null(answer.limit.budget_core_hours)},
          {"confidence", answer.confidence},
          {"why_not", answer.why_not.empty() ? Json() : Json(answer.why_not)},
          {"choice", json_of_choice(answer.choice)},
          {"sure", json_of_choice(answer.sure)},
          {"fastest", json_of_choice(answer.fastest)},
          {"cheapest", json_of_choice(answer.cheapest)}};
}

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
