#include "fitter/prediction/scenario_sizes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/input_error.h"
#include "base/listed.h"

namespace apmt {
namespace {

/// Least-squares slope of ln size over ln P.
double growth(const Model& model, const std::string& name) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const ModelPoint& p : model.points) {
    const auto size = p.params.find(name);
    if (size == p.params.end() || size->second <= 0) return 0;
    const double x = std::log(p.procs);
    const double y = std::log(size->second);
    n += 1;
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  const double spread = n * sxx - sx * sx;
  return spread > 0 ? (n * sxy - sx * sy) / spread : 0;
}

/// The power of P by which a campaign (apmt run --scaling weak) scaled a size before rounding it to
/// a whole number. Applied to the size at the first point, this power must give the size at every
/// other point; absent if no power does.
std::optional<double> rounded_growth(const Model& model, const std::string& name) {
  constexpr std::array<double, 6> kPowers = {1, 1.0 / 2, 1.0 / 3, 2.0 / 3, 1.0 / 4, 3.0 / 4};
  const ModelPoint& first = model.points.front();
  for (const double power : kPowers) {
    const auto is_met = [&](const ModelPoint& p) {
      const double size = p.params.at(name);
      const double exact =
          first.params.at(name) * std::pow(static_cast<double>(p.procs) / first.procs, power);
      const bool is_whole = size == std::round(size);
      return std::abs(exact - size) <= (is_whole ? 0.5 : 0) + 1e-9 * size;
    };
    if (std::all_of(model.points.begin(), model.points.end(), is_met)) return power;
  }
  return std::nullopt;
}

}  // namespace

ScenarioSizes::ScenarioSizes(const Model& model, const Scenario& scenario)
    : work_(model.work), given_(scenario.params) {
  base_procs_ = model.points.back().procs;
  base_ = model.points.back().params;
  for (const auto& [name, value] : given_) {
    if (!std::isfinite(value)) throw InputError("", "problem size '" + name + "' is not a number");
    if (std::ranges::find(model.param_names, name) == model.param_names.end()) {
      const std::string known = listed(model.param_names);
      throw InputError("", "the runs have no problem size '" + name + "'",
                       known.empty() ? "no run was given a size; record them with --set name=value"
                                     : "known sizes: " + known);
    }
  }
  scaling_ = scenario.scaling.value_or(model.scaling);
  const bool weak = scaling_ == Scaling::kWeak;
  if (weak && model.scaling == Scaling::kWeak)
    learn_exponents(model);
  else if (weak)
    scale_alike(model);
  for (const auto& [name, value] : given_) {
    if (!exponents_.contains(name)) continue;
    scaling_ = Scaling::kStrong;
    if (scenario.scaling == Scaling::kWeak)
      throw InputError("",
                       "in weak scaling, the size '" + name +
                           "' grows with the process count, so it cannot have a value of its own",
                       "leave out --set " + name +
                           " to continue the sizes of the runs, or choose "
                           "strong scaling for this size at every process count");
  }
}

void ScenarioSizes::learn_exponents(const Model& model) {
  std::map<std::string, double> powers;
  for (const std::string& name : model.param_names) {
    const double e = growth(model, name);
    if (!(std::abs(e) > 1e-6)) continue;
    exponents_[name] = e;
    if (const auto power = rounded_growth(model, name)) powers[name] = *power;
  }
  if (powers.size() < exponents_.size()) return;
  exponents_ = powers;  // relative to the first size, which was not rounded
  base_procs_ = model.points.front().procs;
  base_ = model.points.front().params;
}

void ScenarioSizes::scale_alike(const Model& model) {
  // The work per process stays constant if all sizes of the expression grow as P^(1/degree).
  if (work_.names().empty())
    throw InputError("", "weak scaling needs a problem size, and the runs have none",
                     "record them with --set name=value");
  const double degree = work_.degree(base_);
  if (!(degree > 0))
    throw InputError("", "the work '" + model.work + "' does not grow with its sizes");
  for (const std::string& name : work_.names()) exponents_[name] = 1 / degree;
}

std::map<std::string, double> ScenarioSizes::params_at(int procs) const {
  std::map<std::string, double> params = base_;
  for (const auto& [name, exponent] : exponents_) {
    double value = base_.at(name) * std::pow(static_cast<double>(procs) / base_procs_, exponent);
    // Most sizes are whole numbers; this removes rounding errors of pow.
    if (std::abs(value - std::round(value)) < 1e-6 * value) value = std::round(value);
    params[name] = value;
  }
  for (const auto& [name, value] : given_) params[name] = value;
  return params;
}

double ScenarioSizes::work_at(int procs) const { return work_.value(params_at(procs)); }

}  // namespace apmt
