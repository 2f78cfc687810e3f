#include "fitter/prediction/outlook.h"

#include <algorithm>
#include <cmath>

#include "base/input_error.h"

namespace apmt {
namespace {

constexpr double kFarthest =
    1000;  // multiple of the largest profiled count; beyond it, predictions are worthless
constexpr double kHalf = 0.5;
constexpr double kMostProcs = 1 << 24;

/// Times and costs by process count.
class Curve {
 public:
  explicit Curve(Glances* glances) : glances_(glances) {}
  double time_s(int procs) { return glances_->at(procs).time.time_s; }
  double core_hours(int procs) { return procs * time_s(procs) / 3600; }

  /// The first count above `before` whose time meets the deadline, accurate to 6 %. The time at
  /// `after` meets it.
  int first_within(int before, int after, double deadline_s) {
    while (after - before > std::max(1, before / 16)) {
      const int middle = before + (after - before) / 2;
      (time_s(middle) <= deadline_s ? after : before) = middle;
    }
    return after;
  }

 private:
  Glances* glances_;
};

/// The process count with the smallest `value`. Begins with the best count in `procs` (each is
/// twice the one before), and compares it with a count on either side of it. Moves to the best of
/// the three, halves the distance between them, and repeats this.
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

/// The count with the fewest core-hours of those that meet the deadline.
std::optional<int> cheapest_in_time(Curve& curve, const std::vector<int>& procs,
                                    double deadline_s) {
  std::vector<int> in_time;
  for (std::size_t i = 0; i < procs.size(); ++i) {
    if (curve.time_s(procs[i]) > deadline_s) continue;
    if (in_time.empty() && i > 0)  // the first count that meets the deadline
      in_time.push_back(curve.first_within(procs[i - 1], procs[i], deadline_s));
    in_time.push_back(procs[i]);
  }
  if (in_time.empty()) return std::nullopt;
  return *std::min_element(in_time.begin(), in_time.end(),
                           [&](int a, int b) { return curve.core_hours(a) < curve.core_hours(b); });
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
  std::vector<int> procs = doublings(outlook.from_procs, outlook.to_procs);
  outlook.confidence = scenario.confidence;
  outlook.half_efficiency = first_below(glances, procs, kHalf, scenario.confidence);
  if (!knows_only_wholes(model))
    outlook.verdicts = changes_of_bound(glances, procs, scenario.confidence);
  if (work_grows(model, scenario)) return outlook;  // more processes do not shorten the run

  Curve curve(glances);
  const auto choice = [&](int p) {
    return Outlook::Choice{{p, p, p}, curve.time_s(p), curve.core_hours(p)};
  };
  const int fastest = least(procs, [&](int p) { return curve.time_s(p); });
  outlook.fastest = choice(fastest);
  outlook.fastest->procs = least_time(glances, fastest, scenario.confidence);
  outlook.still_falling = fastest >= procs[procs.size() - 1];
  if (!outlook.deadline_s) return outlook;
  procs.push_back(fastest);  // perhaps the only one that meets the deadline
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
  Glances glances([&](int procs) {
    Scenario there = scenario;
    there.procs = procs;
    return predictor.glance(there);
  });
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

}  // namespace apmt
