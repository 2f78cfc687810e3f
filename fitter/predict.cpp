#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "base/input_error.h"
#include "base/words.h"
#include "fitter/cache_check.h"
#include "fitter/interval_sum.h"
#include "fitter/model_parts.h"
#include "fitter/prediction.h"
#include "fitter/scenario_sizes.h"
#include "fitter/shared_noise.h"
#include "fitter/time_law_eval.h"
#include "fitter/what_if_effect.h"
#include "fitter/work.h"

namespace apmt {
namespace {

constexpr double kWorthless = 1000;  // times the largest profiled process count
constexpr double kFarWarning = 64;
constexpr double kHorizon = 1024;       // how far to look for a change of the verdict
constexpr double kRoundedSizes = 1.05;  // sizes are whole numbers: so much is no other problem
constexpr const char* kComputeOrMemory = "compute+memory";
constexpr const char* kUnknown = "unknown";

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

/// Which of the groups is the largest.
std::string verdict(double comp_s, double comm_s, double others_s) {
  if (comp_s >= comm_s && comp_s >= others_s) return kComputeOrMemory;
  return comm_s >= others_s ? "communication" : "others";
}

/// What a kernel does longer than anything else, where its stalls were counted or refined.
std::string kernel_verdict(std::optional<double> memory_share) {
  if (!memory_share) return kComputeOrMemory;
  return *memory_share > 0.5 ? "memory" : "compute";
}

}  // namespace

struct Predictor::Impl {
  const Model& model;
  WorkExpression work;
  std::vector<PartLaws> parts;
  double shared;  // of the variance of deviations

  explicit Impl(const Model& m)
      : model(m), work(m.work), parts(laws_of_parts(m)), shared(shared_noise(m)) {}

  /// The verdict from the middle of each law: cheap enough to look along P.
  std::string verdict_at(double procs, double d, const WhatIfEffect& effect) const {
    double comp_s = 0, comm_s = 0, others_s = 0;
    for (const PartLaws& p : parts) {
      if (p.is_nothing_at(procs)) continue;
      for (std::size_t i = 0; i < p.laws.size(); ++i) {
        const double t = p.laws[i].centre(procs, d, effect.factors(p.part, i, procs, d));
        if (p.part == Part::kComp)
          comp_s += t;
        else if (p.part == Part::kOffCpu || p.part == Part::kOthers)
          others_s += t;
        else
          comm_s += t;
      }
    }
    return verdict(comp_s, comm_s, others_s);
  }

  double median_time(double procs, double d, const WhatIfEffect& effect) const {
    double sum = 0;
    for (const PartLaws& p : parts) {
      if (p.is_nothing_at(procs)) continue;
      for (std::size_t i = 0; i < p.laws.size(); ++i)
        sum += p.laws[i].at(procs, d, effect.factors(p.part, i, procs, d)).quantile(0.5);
    }
    return sum;
  }

  void fill_times(Prediction* p, double d, const WhatIfEffect& effect, bool intervals) const {
    IntervalSum whole(p->confidence, shared, intervals);
    for (const PartLaws& part : parts) {
      IntervalSum sum(p->confidence, shared, intervals);
      for (std::size_t i = 0; i < part.laws.size() && !part.is_nothing_at(p->procs); ++i) {
        const TimeDistribution time =
            part.laws[i].at(p->procs, d, effect.factors(part.part, i, p->procs, d));
        const TimeEstimate t = sum.add(time);
        whole.add(time, t);
        if (part.part == Part::kComp)
          p->kernels.push_back({i, model.kernels[i].name, model.kernels[i].role, t,
                                kernel_verdict(effect.memory_share_of(i, p->procs, d))});
      }
      p->parts.*predicted_part(part.part) = sum.total();
    }
    p->time = whole.total();
    std::stable_sort(p->kernels.begin(), p->kernels.end(),
                     [](const PredictedKernel& a, const PredictedKernel& b) {
                       const bool a_rest = a.role == KernelRole::kRest;
                       const bool b_rest = b.role == KernelRole::kRest;
                       if (a_rest != b_rest) return b_rest;
                       return a.time.time_s > b.time.time_s;
                     });
    for (const Part part : kParts)
      if (!has_part(model, part)) p->missing.push_back(key(part));
  }

  void fill_bound(Prediction* p) const {
    const auto time = [](const std::optional<TimeEstimate>& t) { return t ? t->time_s : 0; };
    const bool knows_comm = p->parts.comm_p2p || p->parts.comm_coll;
    if (!p->parts.comp || !knows_comm || p->is_undivided) {
      p->bound = kUnknown;  // what is missing might be the largest
      return;
    }
    p->bound = verdict(time(p->parts.comp),
                       time(p->parts.comm_p2p) + time(p->parts.comm_coll) +
                           time(p->parts.comm_wait) + time(p->parts.comm_other),
                       time(p->parts.off_cpu) + time(p->parts.others));
  }

  void find_change_of_bound(Prediction* p, double d, const ScenarioSizes& sizes,
                            const WhatIfEffect& effect) const {
    if (p->bound == kUnknown) return;
    const std::string here = verdict_at(p->procs, d, effect);
    const auto at = [&](int procs) { return verdict_at(procs, sizes.work_at(procs), effect); };
    int before = p->procs;
    int after = 0;
    for (double procs = 2.0 * p->procs; procs <= kHorizon * model.max_procs() && procs < 1e9;
         procs *= 2) {
      after = static_cast<int>(procs);
      if (at(after) != here) break;
      before = after;
      after = 0;
    }
    if (after == 0) return;
    while (after - before > std::max(1, before / 16)) {  // to 6 %: no verdict is sharper than that
      const int middle = before + (after - before) / 2;
      (at(middle) == here ? before : after) = middle;
    }
    p->bound_changes_at = after;
    p->bound_becomes = at(after);
  }

  /// What was measured, and what the reference models say, holds for the machine of the runs only.
  void fill_comparisons(Prediction* p, double d, const ScenarioSizes& sizes,
                        const WhatIfEffect& effect) const {
    const bool as_profiled = effect.assumptions().empty();
    p->reference_procs = model.min_procs();
    const double reference_d = sizes.work_at(p->reference_procs);
    double reference_s = 0;
    for (const ModelPoint& point : model.points) {
      if (!as_profiled) break;
      if (point.procs == p->procs && point.params == p->params && point.complete)
        p->measured_s = point.known_s;
      if (point.procs == p->reference_procs && point.complete &&
          std::abs(point.work - reference_d) <= 1e-9 * reference_d)
        reference_s = point.known_s;
    }
    if (p->procs == p->reference_procs && std::abs(d - reference_d) <= 1e-9 * reference_d)
      reference_s = p->time.time_s;  // against itself
    if (reference_s <= 0) reference_s = median_time(p->reference_procs, reference_d, effect);
    if (p->time.time_s > 0 && reference_s > 0) {
      // Work per time, relative to the reference: with equal sizes the plain ratio of times.
      p->speedup = reference_s / p->time.time_s * (d / reference_d);
      p->efficiency = *p->speedup * p->reference_procs / p->procs;
    }
    if (!as_profiled) return;
    for (const Baseline& b : model.baselines) p->baselines_s[b.name] = b.time_s(p->procs, d);
  }

  void compare_sizes(Prediction* p, double d) const {
    double largest = 0;
    for (const ModelPoint& point : model.points) largest = std::max(largest, point.work);
    if (largest <= 0) return;
    p->size_factor = d / largest;
    // Sizes that grew with the processes are meant to go on.
    const ScenarioSizes campaign(model, {.procs = p->procs, .params = {}, .scaling = {}});
    p->is_beyond_sizes = d > kRoundedSizes * std::max(largest, campaign.work_at(p->procs));
  }

  void fill_warnings(Prediction* p, const Scenario& scenario, const ScenarioSizes& sizes) const {
    std::vector<std::string>& w = p->warnings;
    const double factor = p->extrapolation_factor;
    p->worthless = factor > kWorthless;
    if (p->worthless)
      w.push_back("worthless: " + number(factor) +
                  " times as many processes as the largest profiled run; beyond 1000 times no "
                  "useful prediction is possible");
    else if (factor > kFarWarning)
      w.push_back("far extrapolation: " + number(factor) +
                  " times the largest profiled process count; profile at more processes");
    if (!p->missing.empty()) {
      std::string names;
      for (const Part part : kParts)
        if (!has_part(model, part)) names += (names.empty() ? "" : ", ") + std::string(words(part));
      w.push_back("the total does not include " + names + " and is too low by that");
    }
    const int cores_per_node = scenario.what_if.cores_per_node.value_or(model.cores_per_node);
    if (cores_per_node > 0 && model.max_nodes == 1 && p->procs > cores_per_node)
      w.push_back("no run ever crossed a node boundary (" + counted(cores_per_node, "CPU") +
                  " a node): communication between nodes is unknown");
    const std::string coverage = coverage_warning(model.summary);
    if (!coverage.empty()) w.push_back(coverage);
    if (model.is_virtual) w.push_back("measured on a simulated cluster: times are the simulator's");
    if (knows_only_wholes(model))
      w.push_back("only total times are known: neither their parts nor what bounds them");
    else if (model.grade == Grade::kD)
      w.push_back("without sampling, computation is one block that includes time off the CPU");
    for (const std::string& s : cache_warnings(model, p->procs, sizes.work_at(p->procs)))
      w.push_back(s);
    for (const std::string& s : sizes.warnings()) w.push_back(s);
  }

  Prediction answer(const Scenario& scenario, bool in_full) const {
    if (scenario.procs < 1) throw InputError("", "expected at least one process");
    if (!(scenario.confidence > 0 && scenario.confidence < 1))
      throw InputError("", "the confidence must lie between 0 and 1");
    const ScenarioSizes sizes(model, scenario);
    Prediction p;
    p.procs = scenario.procs;
    p.params = sizes.params_at(scenario.procs);
    p.confidence = scenario.confidence;
    p.extrapolation_factor = static_cast<double>(scenario.procs) / model.max_procs();
    p.grade = model.grade;
    p.backtest = model.backtest;
    const double d = sizes.work_at(scenario.procs);
    compare_sizes(&p, d);
    const WhatIfEffect effect(model, parts, scenario.what_if, scenario.procs, d);
    p.assumptions = effect.assumptions();
    fill_times(&p, d, effect, in_full);
    p.is_undivided = knows_only_wholes(model);
    fill_bound(&p);
    if (in_full) find_change_of_bound(&p, d, sizes, effect);
    fill_comparisons(&p, d, sizes, effect);
    fill_warnings(&p, scenario, sizes);
    for (const std::string& s : effect.warnings()) p.warnings.push_back(s);
    return p;
  }
};

Predictor::Predictor(const Model& model) : impl_(std::make_unique<Impl>(model)) {}
Predictor::~Predictor() = default;
Predictor::Predictor(Predictor&&) noexcept = default;

Prediction Predictor::predict(const Scenario& scenario) const {
  return impl_->answer(scenario, true);
}

Prediction Predictor::predict_roughly(const Scenario& scenario) const {
  return impl_->answer(scenario, false);
}

Prediction predict(const Model& model, const Scenario& scenario) {
  return Predictor(model).predict(scenario);
}

}  // namespace apmt
