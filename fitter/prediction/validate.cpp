#include "fitter/prediction/validate.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "base/input_error.h"
#include "base/square.h"
#include "fitter/communication/op_counts.h"
#include "fitter/communication/own_calls.h"
#include "fitter/kernels/kernel_set.h"
#include "fitter/model/model_parts.h"
#include "fitter/numeric/normal_quantile.h"
#include "fitter/prediction/scenario_sizes.h"
#include "fitter/runs/spread.h"

namespace apmt {
namespace {

// Intervals of exact laws are so narrow that rounding would matter.
constexpr double kRounding = 1e-9;
constexpr double kNothing = 1e-6;  // share of the elapsed time; smaller parts are left out

std::optional<Check> check_calls(const std::optional<TimeEstimate>& predicted,
                                 const std::optional<Measured>& measured) {
  if (!predicted || !measured) return std::nullopt;
  return Check{*predicted, measured->value};
}

/// The sampling variance of a kernel's measured time (a median over runs), divided by this time;
/// its unit is seconds. A kernel that takes n sampling intervals has n +- sqrt(n) samples, so the
/// variance is proportional to the time.
double sampling_variance_s(const ExperimentPoint& point) {
  const std::optional<Measured>& all = point.parts.comp_s;
  if (!all || all->repetitions < 1) return 0;
  return all->value * square(all->rel_sampling * median_factor(all->repetitions));
}

Validation validate_point(const Model& model, const Predictor& predictor,
                          const ExperimentPoint& point,
                          const std::vector<std::optional<double>>& kernels_s,
                          const std::vector<OwnSeconds>& calls_s, double confidence) {
  Validation v;
  v.procs = point.procs;
  v.params = point.params;
  v.repetitions = point.elapsed_s.repetitions;
  v.confidence = confidence;
  v.elapsed_s = point.elapsed_s.value;
  v.oversubscribed = point.oversubscribed;
  const Prediction prediction =
      predictor.predict({.procs = point.procs, .params = point.params, .confidence = confidence});
  v.extrapolation_factor = prediction.extrapolation_factor;
  for (const ModelPoint& p : model.points) {
    if (p.procs != point.procs || p.params != point.params) continue;
    v.was_fitted = true;
    v.same_runs = v.same_runs || std::abs(p.elapsed_s - v.elapsed_s) <= 1e-9 * v.elapsed_s;
  }
  Check whole{prediction.time, 0};
  for (const Part part : kParts) {
    const std::optional<TimeEstimate>& predicted = prediction.parts.*predicted_part(part);
    if (!predicted) continue;
    const std::optional<Measured>& measured = point.parts.*measured_part(part);
    if (!measured) {
      v.missing.emplace_back(key(part));
      continue;
    }
    const double smallest_s = kNothing * point.elapsed_s.value;
    if (measured->value <= smallest_s && predicted->time_s <= smallest_s) continue;
    v.parts[key(part)] = {*predicted, measured->value};
    whole.measured_s += measured->value;
  }
  if (v.missing.empty() && whole.measured_s > 0) {
    v.whole = whole;
    for (const auto& [name, time_s] : prediction.baselines_s)
      v.baseline_errors[name] = time_s / whole.measured_s - 1;
  }
  const double z = standard_normal_quantile(0.5 + 0.5 * confidence);
  for (std::size_t k = 0; k < model.kernels.size(); ++k) {
    if (!kernels_s[k]) continue;
    const PredictedKernel& predicted = prediction.kernel(k);
    const double most_s = predicted.is_unsampled ? predicted.time.high_s : predicted.time.time_s;
    const double margin_s = z * std::sqrt(most_s * sampling_variance_s(point));
    v.kernels.push_back({k,
                         predicted.name,
                         {predicted.time, *kernels_s[k], margin_s, predicted.is_unsampled},
                         point.parts.one_sample_s(),
                         predicted.comp,
                         predicted.mem,
                         check_calls(predicted.transfer, calls_s[k].transfer),
                         check_calls(predicted.wait, calls_s[k].wait)});
  }
  std::ranges::stable_sort(v.kernels, {}, [&](const Validation::Kernel& k) {
    return std::pair(model.kernels[k.index].role == KernelRole::kRest, -k.check.measured_s);
  });
  return v;
}

void predict(const CountLaw& law, double procs, double work, CountCheck* check) {
  if (law.hypotheses.empty()) return;
  check->predicted = law.value(procs, work);
  check->low = law.low(procs, work);
  check->high = law.high(procs, work);
}

bool is_nothing(const CountCheck& check) {
  return check.measured == 0 && check.predicted.value_or(0) == 0;
}

/// The operations of the model and of the runs at one point of `counted`.
std::vector<OperationCheck> check_counts(const Model& model, const std::vector<CountModel>& counted,
                                         std::size_t point, double procs, double work) {
  std::map<std::string, OperationCheck> by_name;
  for (const CountModel& count : model.counts) {
    OperationCheck& check = by_name[count.op];
    predict(count.calls, procs, work, &check.calls);
    predict(count.bytes, procs, work, &check.bytes);
  }
  for (const CountModel& counts : counted) {
    OperationCheck& check = by_name[counts.op];
    check.calls.measured = counts.calls_points[point].value;
    check.bytes.measured = counts.bytes_points[point].value;
  }
  std::vector<OperationCheck> checks;
  for (auto& [op, check] : by_name) {
    check.op = op;
    if (!is_nothing(check.calls) || !is_nothing(check.bytes)) checks.push_back(std::move(check));
  }
  std::ranges::stable_sort(checks, std::greater(), [](const OperationCheck& check) {
    return std::pair(check.bytes.measured, check.calls.measured);
  });
  return checks;
}

Json json_of(const Check& check) {
  const double error = check.error();
  return {{"predicted_s", check.predicted.time_s},
          {"low_s", check.predicted.low_s},
          {"high_s", check.predicted.high_s},
          {"measured_s", check.measured_s},
          {"error", error < std::numeric_limits<double>::infinity() ? Json(error) : Json()},
          {"covered", check.is_covered()}};
}

/// Estimate and interval; null if absent.
Json json_of(const std::optional<TimeEstimate>& time) {
  return time
             ? Json{{"predicted_s", time->time_s}, {"low_s", time->low_s}, {"high_s", time->high_s}}
             : Json();
}

Json json_of(const CountCheck& check) {
  return {{"predicted", json_or_null(check.predicted)},
          {"low", check.predicted ? Json(check.low) : Json()},
          {"high", check.predicted ? Json(check.high) : Json()},
          {"measured", check.measured},
          {"error", json_or_null(check.error())},
          {"covered", check.is_covered()}};
}

}  // namespace

double Check::error() const {
  return is_bound ? std::numeric_limits<double>::infinity() : predicted.time_s / measured_s - 1;
}

bool Check::is_covered() const {
  const double below_s = std::hypot(predicted.time_s - predicted.low_s, margin_s);
  const double above_s = std::hypot(predicted.high_s - predicted.time_s, margin_s);
  return measured_s >= (predicted.time_s - below_s) * (1 - kRounding) &&
         measured_s <= (predicted.time_s + above_s) * (1 + kRounding);
}

std::optional<double> CountCheck::error() const {
  if (!predicted || measured == 0) return std::nullopt;
  return *predicted / measured - 1;
}

bool CountCheck::is_covered() const {
  return predicted && measured >= low * (1 - kRounding) && measured <= high * (1 + kRounding);
}

std::vector<Validation> validate(const Model& model, const Experiment& runs, double confidence) {
  if (runs.program != model.program)
    throw InputError("", "the runs are of " + runs.program + ", the model is of " + model.program,
                     "if it is one program under two names, add --same-program");
  const Predictor predictor(model);
  const auto kernels_s = kernel_seconds(runs, model.kernels);
  const auto calls_s = own_seconds(runs, model.kernels);
  std::vector<double> work;
  for (const ExperimentPoint& point : runs.points)
    work.push_back(
        ScenarioSizes(model, {.procs = point.procs, .params = point.params}).work_at(point.procs));
  const std::vector<CountModel> counted = count_ops(runs, work);
  std::vector<Validation> list;
  for (std::size_t i = 0; i < runs.points.size(); ++i) {
    list.push_back(
        validate_point(model, predictor, runs.points[i], kernels_s[i], calls_s[i], confidence));
    list.back().operations = check_counts(model, counted, i, runs.points[i].procs, work[i]);
  }
  return list;
}

Json to_json(const std::vector<Validation>& validations, const std::vector<std::string>& warnings) {
  Json list = Json::array();
  for (const Validation& v : validations) {
    Json parts = Json::object();
    for (const auto& [name, check] : v.parts) parts[name] = json_of(check);
    Json kernels = Json::array();
    for (const Validation::Kernel& k : v.kernels) {
      Json kernel = json_of(k.check);
      kernel["margin_s"] = k.check.margin_s;
      kernel["index"] = k.index;
      kernel["name"] = k.name;
      kernel["comp_s"] = json_of(k.comp);
      kernel["mem_s"] = json_of(k.mem);
      kernel["transfer"] = k.transfer ? json_of(*k.transfer) : Json();
      kernel["wait"] = k.wait ? json_of(*k.wait) : Json();
      kernels.push_back(std::move(kernel));
    }
    Json operations = Json::array();
    for (const OperationCheck& o : v.operations)
      operations.push_back(
          {{"op", o.op}, {"calls", json_of(o.calls)}, {"bytes", json_of(o.bytes)}});
    list.push_back({{"procs", v.procs},
                    {"params", v.params},
                    {"repetitions", v.repetitions},
                    {"extrapolation_factor", v.extrapolation_factor},
                    {"confidence", v.confidence},
                    {"was_fitted", v.was_fitted},
                    {"same_runs", v.same_runs},
                    {"missing", v.missing},
                    {"elapsed_s", v.elapsed_s},
                    {"whole", v.whole ? json_of(*v.whole) : Json()},
                    {"parts", std::move(parts)},
                    {"kernels", std::move(kernels)},
                    {"operations", std::move(operations)},
                    {"baseline_errors", v.baseline_errors},
                    {"warnings", warnings}});
  }
  return list;
}

}  // namespace apmt
