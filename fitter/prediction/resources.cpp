#include "fitter/prediction/resources.h"

#include <algorithm>
#include <functional>

#include "base/input_error.h"
#include "fitter/prediction/draw_search.h"
#include "fitter/prediction/outlook.h"

namespace apmt {
namespace {

/// Process counts, each about 6 % larger than the one before.
std::vector<int> counts_between(int from, int to) {
  std::vector<int> counts;
  for (long procs = from; procs < to; procs += std::max<long>(1, procs / 16))
    counts.push_back(static_cast<int>(procs));
  counts.push_back(to);
  return counts;
}

class ResourceSearch {
 public:
  ResourceSearch(const Model& model, Glances* glances) : model_(model), glances_(glances) {}

  ResourceChoice at(int procs) {
    ResourceChoice choice;
    choice.procs = procs;
    choice.time = glances_->at(procs).time;
    choice.core_hours = procs * choice.time.time_s / 3600;
    if (model_.cores_per_node > 0)
      choice.nodes = (procs + model_.cores_per_node - 1) / model_.cores_per_node;
    return choice;
  }

  /// The allowed choice with the lowest `cost`.
  std::optional<ResourceChoice> best(const std::vector<int>& counts,
                                     const std::function<bool(const ResourceChoice&)>& is_allowed,
                                     const std::function<double(const ResourceChoice&)>& cost) {
    std::optional<ResourceChoice> best;
    for (const int procs : counts) {
      const ResourceChoice choice = at(procs);
      if (is_allowed(choice) && (!best || cost(choice) < cost(*best))) best = choice;
    }
    return best;
  }

 private:
  const Model& model_;
  Glances* glances_;
};

double time_of(const ResourceChoice& choice) { return choice.time.time_s; }
double cost_of(const ResourceChoice& choice) { return choice.core_hours; }
double high_cost_of(const ResourceChoice& choice) {
  return choice.procs * choice.time.high_s / 3600;
}

void check_limit(const ResourceLimit& limit) {
  if (limit.deadline_s.has_value() == limit.budget_core_hours.has_value())
    throw InputError("", "give a deadline or a budget, one of the two");
  if (limit.deadline_s.value_or(1) <= 0 || limit.budget_core_hours.value_or(1) <= 0)
    throw InputError("", "a deadline and a budget are above 0");
}

Json json_of_choice(const std::optional<ResourceChoice>& choice) {
  if (!choice) return nullptr;
  return {{"procs", choice->procs},        {"nodes", choice->nodes ? Json(*choice->nodes) : Json()},
          {"time_s", choice->time.time_s}, {"low_s", choice->time.low_s},
          {"high_s", choice->time.high_s}, {"core_hours", choice->core_hours}};
}

}  // namespace

Resources find_resources(const Model& model, const Predictor& predictor, const Scenario& scenario,
                         const ResourceLimit& limit) {
  check_limit(limit);
  Resources answer;
  answer.limit = limit;
  answer.confidence = scenario.confidence;
  const Outlook outlook = look_ahead(predictor, model, scenario);
  answer.why_not = outlook.why_not;
  if (answer.why_not.empty() && !outlook.fastest)
    answer.why_not = "the work grows with the processes, so more of them do not shorten the run";
  if (!answer.why_not.empty()) return answer;
  Glances glances([&](int procs) {
    Scenario there = scenario;
    there.procs = procs;
    return predictor.glance(there);
  });
  ResourceSearch search(model, &glances);
  answer.fastest = search.at(outlook.fastest->procs.procs);
  // More processes than at the fastest count take longer and cost more, so the search ends at this
  // count.
  const std::vector<int> counts = counts_between(outlook.from_procs, answer.fastest->procs);
  if (limit.deadline_s) {
    const double limit_s = *limit.deadline_s;
    answer.choice = search.best(
        counts, [&](const ResourceChoice& c) { return c.time.time_s <= limit_s; }, cost_of);
    answer.sure = search.best(
        counts, [&](const ResourceChoice& c) { return c.time.high_s <= limit_s; }, cost_of);
  } else {
    const double budget = *limit.budget_core_hours;
    answer.choice = search.best(
        counts, [&](const ResourceChoice& c) { return cost_of(c) <= budget; }, time_of);
    answer.sure = search.best(
        counts, [&](const ResourceChoice& c) { return high_cost_of(c) <= budget; }, time_of);
  }
  return answer;
}

Json to_json(const Resources& answer) {
  return {{"deadline_s", json_or_null(answer.limit.deadline_s)},
          {"budget_core_hours", json_or_null(answer.limit.budget_core_hours)},
          {"confidence", answer.confidence},
          {"why_not", answer.why_not.empty() ? Json() : Json(answer.why_not)},
          {"choice", json_of_choice(answer.choice)},
          {"sure", json_of_choice(answer.sure)},
          {"fastest", json_of_choice(answer.fastest)}};
}

}  // namespace apmt
