#include "fitter/outlook.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/input_error.h"

namespace apmt {
namespace {

constexpr double kFarthest = 1000;  // times the largest profiled count: worthless beyond
constexpr double kHalf = 0.5;
constexpr double kMostProcs = 1 << 24;

/// Predictions by process count, each made once.
class Curve {
 public:
  Curve(const Predictor& predictor, const Scenario& scenario)
      : predictor_(predictor), scenario_(scenario) {}

  const Prediction& at(int procs) {
    const auto found = made_.find(procs);
    if (found != made_.end()) return found->second;
    scenario_.procs = procs;
    return made_.emplace(procs, predictor_.predict_roughly(scenario_)).first->second;
  }
  double time_s(int procs) { return at(procs).time.time_s; }
  double core_hours(int procs) { return procs * time_s(procs) / 3600; }

  /// The first count above `before` where `holds`, which it does at `after`; to 6 %.
  template <typename F>
  int first(int before, int after, F holds) {
    while (after - before > std::max(1, before / 16)) {
      const int middle = before + (after - before) / 2;
      (holds(at(middle)) ? after : before) = middle;
    }
    return after;
  }

 private:
  const Predictor& predictor_;
  Scenario scenario_;
  std::map<int, Prediction> made_;
};

std::vector<int> doublings(int from, int to) {
  std::vector<int> procs;
  for (double p = from; p < to; p *= 2) procs.push_back(static_cast<int>(p));
  procs.push_back(to);
  return procs;
}

/// Where `value` is least: near the best of the doublings, by halving the distance to its
/// neighbours.
template <typename F>
int least(const std::vector<int>& procs, F value) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < procs.size(); ++i)
    if (value(procs[i]) < value(procs[best])) best = i;
  int low = procs[best == 0 ? 0 : best - 1];
  int middle = procs[best];
  int high = procs[std::min(best + 1, procs.size() - 1)];
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

bool work_grows(const Model& model, const Scenario& scenario) {
  return scenario.scaling ? *scenario.scaling == Scaling::kWeak : model.scaling == Scaling::kWeak;
}

/// Fewest core-hours among the counts that keep the deadline.
std::optional<int> cheapest_in_time(Curve& curve, const std::vector<int>& procs,
                                    double deadline_s) {
  std::vector<int> in_time;
  for (std::size_t i = 0; i < procs.size(); ++i) {
    if (curve.time_s(procs[i]) > deadline_s) continue;
    if (in_time.empty() && i > 0)  // where the deadline begins to be kept
      in_time.push_back(curve.first(procs[i - 1], procs[i], [&](const Prediction& p) {
        return p.time.time_s <= deadline_s;
      }));
    in_time.push_back(procs[i]);
  }
  if (in_time.empty()) return std::nullopt;
  return *std::min_element(in_time.begin(), in_time.end(),
                           [&](int a, int b) { return curve.core_hours(a) < curve.core_hours(b); });
}

Outlook look_along(Curve& curve, const Model& model, const Scenario& scenario, Outlook outlook) {
  const Prediction& first = curve.at(outlook.from_procs);
  if (!first.missing.empty())
    outlook.why_not = "parts of the time are missing, and any of them may limit the scaling";
  else if (first.time.time_s <= 0)
    outlook.why_not = "the predicted time is zero";
  if (!outlook.why_not.empty()) return outlook;

  outlook.from_time_s = first.time.time_s;
  std::vector<int> procs = doublings(outlook.from_procs, outlook.to_procs);
  if (!knows_only_wholes(model)) outlook.verdicts.push_back({procs[0], first.bound});
  for (std::size_t i = 1; i < procs.size(); ++i) {
    const Prediction& here = curve.at(procs[i]);
    if (!outlook.half_efficiency_procs && here.efficiency && *here.efficiency < kHalf)
      outlook.half_efficiency_procs = curve.first(procs[i - 1], procs[i], [](const Prediction& p) {
        return p.efficiency && *p.efficiency < kHalf;
      });
    if (outlook.verdicts.empty()) continue;
    const std::string& before = outlook.verdicts.back().bound;
    if (here.bound != before)
      outlook.verdicts.push_back(
          {curve.first(procs[i - 1], procs[i],
                       [&](const Prediction& p) { return p.bound != before; }),
           here.bound});
  }
  if (work_grows(model, scenario)) return outlook;  // more processes do more work, not it sooner

  const auto choice = [&](int p) {
    return Outlook::Choice{p, curve.time_s(p), curve.core_hours(p)};
  };
  const int fastest = least(procs, [&](int p) { return curve.time_s(p); });
  outlook.fastest = choice(fastest);
  outlook.still_falling = fastest >= procs[procs.size() - 1];
  if (!outlook.deadline_s) return outlook;
  procs.push_back(fastest);  // the only one, perhaps, that keeps it
  std::sort(procs.begin(), procs.end());
  if (const std::optional<int> cheapest = cheapest_in_time(curve, procs, *outlook.deadline_s))
    outlook.cheapest = choice(*cheapest);
  return outlook;
}

}  // namespace

Outlook look_ahead(const Predictor& predictor, const Model& model, const Scenario& scenario,
                   std::optional<double> deadline_s) {
  Outlook outlook;
  outlook.deadline_s = deadline_s;
  outlook.from_procs = model.min_procs();
  outlook.to_procs = static_cast<int>(std::min(kFarthest * model.max_procs(), kMostProcs));
  Curve curve(predictor, scenario);
  try {
    return look_along(curve, model, scenario, outlook);
  } catch (const InputError& error) {
    // A what-if that can be answered where it was asked, but not along the whole way.
    if (error.code() != ExitCode::kNotEnoughData) throw;
    outlook.why_not = error.what();
    return outlook;
  }
}

Json to_json(const Outlook& o) {
  const auto choice = [](const std::optional<Outlook::Choice>& c) {
    return c ? Json{{"procs", c->procs}, {"time_s", c->time_s}, {"core_hours", c->core_hours}}
             : Json();
  };
  Json verdicts = Json::array();
  for (const Outlook::Verdict& v : o.verdicts)
    verdicts.push_back({{"from_procs", v.from_procs}, {"bound", v.bound}});
  return {
      {"why_not", o.why_not.empty() ? Json() : Json(o.why_not)},
      {"from_procs", o.from_procs},
      {"from_time_s", json_or_null(o.from_time_s)},
      {"to_procs", o.to_procs},
      {"half_efficiency_procs", o.half_efficiency_procs ? Json(*o.half_efficiency_procs) : Json()},
      {"verdicts", std::move(verdicts)},
      {"fastest", choice(o.fastest)},
      {"still_falling", o.still_falling},
      {"deadline_s", json_or_null(o.deadline_s)},
      {"cheapest_in_time", choice(o.cheapest)}};
}

}  // namespace apmt
