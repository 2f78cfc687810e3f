#include "fitter/prediction/model_formulas.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "base/words.h"
#include "fitter/model/model_parts.h"
#include "fitter/numeric/small_least_squares.h"
#include "fitter/prediction/scenario_sizes.h"

namespace apmt {
namespace {

constexpr int kSamples = 48;
constexpr int kMostExponents = 9;
constexpr double kCloseEnough = 2e-4;
constexpr double kFarthestSample = 64;  // multiple of the largest profiled process count

/// Process counts at equal distances in ln P.
std::vector<int> sample_counts(int from, int to) {
  std::set<int> counts;
  for (int i = 0; i <= kSamples; ++i)
    counts.insert(static_cast<int>(
        std::lround(from * std::pow(static_cast<double>(to) / from, double(i) / kSamples))));
  return {counts.begin(), counts.end()};
}

double largest_difference(const TimeFormula& f, const TimesByProcs& times) {
  double worst = 0;
  for (const auto& [procs, seconds] : times) {
    const double v = f.value(procs);
    const double off = seconds > 0 ? std::abs(v / seconds - 1) : std::abs(v);
    worst = std::max(worst, std::isfinite(off) ? off : INFINITY);
  }
  return worst;
}

/// The work D if problem sizes depend on P as in the campaign and D is a power of P: D = at *
/// P^exponent.
struct WorkPath {
  double at = 1;
  double exponent = 0;
};

std::optional<WorkPath> path_of(const ScenarioSizes& sizes, const std::vector<int>& counts) {
  const double first = sizes.work_at(counts.front());
  const double last = sizes.work_at(counts.back());
  if (!(first > 0 && last > 0)) return std::nullopt;
  WorkPath path;
  if (counts.size() > 1)
    path.exponent =
        std::log(last / first) / std::log(static_cast<double>(counts.back()) / counts.front());
  if (std::abs(path.exponent) < 1e-12) path.exponent = 0;
  path.at = first / std::pow(counts.front(), path.exponent);
  for (const int p : counts)
    if (std::abs(path.at * std::pow(p, path.exponent) / sizes.work_at(p) - 1) > 1e-6)
      return std::nullopt;
  return path;
}

/// The likeliest closed form of a law, with the work expressed by P.
std::vector<LawTerm> closed_terms(const TimeLaw& law, const WorkPath& path) {
  std::vector<LawTerm> terms;
  const auto add = [&](const Hypothesis& h, double factor, double p_exponent, int log2_power) {
    for (LawTerm t : h.terms) {
      t.coefficient *= factor * std::pow(path.at, t.work_exponent);
      t.p_exponent += p_exponent + path.exponent * t.work_exponent;
      t.log2_power += log2_power;
      t.work_exponent = 0;
      terms.push_back(t);
    }
  };
  if (law.kind == TimeLaw::Kind::kUnitCosts && !law.families.empty())
    for (const Feature& f : law.families.front().features)
      for (const Hypothesis& h : f.counts) {
        if (f.steps == Feature::Steps::kRing) {  // a ring has P - 1 steps
          add(h, f.cost, 0, 0);
          add(h, -f.cost, -1, 0);
        } else {
          add(h, f.cost, -1, f.steps == Feature::Steps::kTree ? 1 : 0);
        }
      }
  else if (law.kind == TimeLaw::Kind::kExact && !law.exact.hypotheses.empty())
    add(law.exact.hypotheses.front(), 1, 0, 0);
  return terms;
}

/// What the formulas are for: the program, the range of P and the problem sizes.
ModelFormulas without_times(const Model& model, const ScenarioSizes& sizes) {
  ModelFormulas out;
  out.program = model.program;
  out.from_procs = std::min(std::max(2, model.min_procs()), std::max(2, model.max_procs()));
  out.to_procs =
      static_cast<int>(std::min(kFarthestSample * model.max_procs(), 2e9 / model.max_procs()));
  out.to_procs = std::max(out.to_procs, out.from_procs);
  out.sizes = name_of(model.scaling) + std::string(" scaling");
  const char* separator = " at ";
  for (const auto& [name, value] : sizes.params_at(model.max_procs())) {
    out.sizes += separator + name + " = " + brief_number(value, 6);
    separator = ", ";
  }
  if (model.scaling != Scaling::kStrong && !model.param_names.empty())
    out.sizes += " and " + counted(model.max_procs(), "process", "processes");
  return out;
}

bool is_nothing(const TimesByProcs& seen) {
  return std::ranges::all_of(seen, [](const auto& time) { return time.second == 0; });
}

/// ln T = ln at + e0 l + e1 l^2 + ..., l = ln(P / unit), with the fewest exponents that fit
/// closely.
TimeFormula drifting(const std::string& name, const TimesByProcs& seen, double unit) {
  TimeFormula best{.name = name, .off = INFINITY};
  std::vector<double> l;
  std::vector<double> y;
  for (const auto& [procs, seconds] : seen)
    if (seconds > 0) {
      l.push_back(std::log(procs / unit));
      y.push_back(std::log(seconds));
    }
  if (y.size() < seen.size()) {  // zero at some or all of the counts
    best.off = largest_difference(best, seen);
    if (y.empty()) return best;
  }
  std::vector<std::vector<double>> columns(1, std::vector<double>(l.size(), 1));
  for (int n = 1; n <= std::min(kMostExponents, static_cast<int>(y.size()) - 1); ++n) {
    columns.push_back(columns.back());
    for (std::size_t i = 0; i < l.size(); ++i) columns.back()[i] *= l[i];
    const auto c = solve_least_squares(columns, y);
    if (!c) break;
    TimeFormula f{.name = name};
    f.curve = {std::exp(c->front()), unit, {c->begin() + 1, c->end()}};
    f.off = largest_difference(f, seen);
    if (f.off < best.off) best = f;
    if (best.off < kCloseEnough) break;
  }
  return best;
}

/// The closed form of a law, without negligible terms; absent if the law has none, or if it is not
/// what was predicted.
std::optional<TimeFormula> closed(const std::string& name, const TimeLaw& law, const WorkPath& path,
                                  const TimesByProcs& seen) {
  TimeFormula formula{.name = name, .terms = closed_terms(law, path)};
  if (formula.terms.empty() || !(largest_difference(formula, seen) < kCloseEnough))
    return std::nullopt;
  std::vector<double> procs;
  for (const auto& time : seen) procs.push_back(time.first);
  drop_negligible(&formula.terms, procs);
  formula.off = largest_difference(formula, seen);
  return formula;
}

}  // namespace

double DriftingPower::value(double p) const {
  if (at_s <= 0) return 0;
  const double l = std::log(p / procs);
  double exponent = 0;
  for (std::size_t i = exponents.size(); i-- > 0;) exponent = exponent * l + exponents[i];
  return at_s * std::exp(exponent * l);
}

double TimeFormula::value(double p) const {
  if (terms.empty()) return curve.value(p);
  double sum = 0;
  for (const LawTerm& t : terms) sum += t.value(p, 1);
  return sum;
}

ModelFormulas formulas_of(const Model& model) {
  const ScenarioSizes sizes(model, {.procs = model.max_procs()});
  ModelFormulas out = without_times(model, sizes);
  const std::vector<int> counts = sample_counts(out.from_procs, out.to_procs);
  const std::optional<WorkPath> path = path_of(sizes, counts);
  const Predictor predictor(model);
  std::vector<Prediction> predictions;
  for (const int p : counts)
    predictions.push_back(predictor.predict({.procs = p, .confidence = out.confidence}));
  // `of` returns one time of a prediction.
  const auto samples = [&](const auto& of) {
    TimesByProcs list;
    for (const Prediction& p : predictions) list.emplace_back(p.procs, of(p));
    return list;
  };
  const auto approximated = [&](const std::string& name, const TimesByProcs& seen) {
    return drifting(name, seen, model.max_procs());
  };
  // A time with a single law may have the law's closed form.
  const auto add = [&](const std::string& name, const std::vector<LawOfPart>& laws,
                       const TimesByProcs& seen) {
    if (is_nothing(seen)) return;
    std::optional<TimeFormula> formula;
    if (path && laws.size() == 1) formula = closed(name, *laws.front().law, *path, seen);
    out.times.push_back(formula ? *formula : approximated(name, seen));
  };
  for (std::size_t i = 0; i < model.kernels.size(); ++i) {
    const std::string& name = model.kernels[i].name;
    add(name, {{&model.kernels[i].law}},
        samples([i](const Prediction& p) { return p.kernel(i).time.time_s; }));
    using Of = std::optional<TimeEstimate> PredictedKernel::*;
    for (const auto& [part, words] :
         {std::pair<Of, const char*>{&PredictedKernel::comp, "computation"},
          {&PredictedKernel::mem, "memory"},
          {&PredictedKernel::transfer, "messages"},
          {&PredictedKernel::wait, "waiting"}}) {
      const TimesByProcs seen = samples([i, part = part](const Prediction& p) {
        const std::optional<TimeEstimate>& time = p.kernel(i).*part;
        return time ? time->time_s : 0;
      });
      if (!is_nothing(seen)) out.kernel_parts.push_back(approximated(name + ", " + words, seen));
    }
  }
  for (const Part part : kParts)
    if (part != Part::kComp && has_part(model, part))
      add(words(part), laws_of(model, part),
          samples([part](const Prediction& p) { return (p.parts.*predicted_part(part))->time_s; }));
  out.low = approximated("low", samples([](const Prediction& p) { return p.time.low_s; }));
  out.high = approximated("high", samples([](const Prediction& p) { return p.time.high_s; }));
  return out;
}

ReadableLaw nearest_terms(const TimeFormula& formula, int from_procs, int to_procs) {
  // The coefficient, the exponent of P and the power of log2(P).
  const std::vector<LawTerm> shapes = {{1, -1, 0}, {1, -0.5, 0},    {1, -1.0 / 3, 0}, {1, 0, 0},
                                       {1, 0, 1},  {1, 1.0 / 3, 0}, {1, 0.5, 0},      {1, 1, 0}};
  TimesByProcs times;
  for (const int p : sample_counts(from_procs, to_procs))
    if (const double v = formula.value(p); v > 0) times.emplace_back(p, v);
  return nearest_sum(shapes, times);
}

}  // namespace apmt
