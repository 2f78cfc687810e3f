#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "base/input_error.h"
#include "base/words.h"
#include "fitter/cache_check.h"
#include "fitter/draw_estimates.h"
#include "fitter/draw_search.h"
#include "fitter/model_draws.h"
#include "fitter/model_parts.h"
#include "fitter/prediction.h"
#include "fitter/scenario_sizes.h"
#include "fitter/what_if_effect.h"
#include "fitter/work.h"

namespace apmt {
namespace {

constexpr double kWorthless = 1000;  // times the largest profiled process count
constexpr double kFarWarning = 64;
constexpr double kHorizon = 1024;       // how far to look for a change of the verdict
constexpr double kRoundedSizes = 1.05;  // sizes are whole numbers: so much is no other problem
constexpr const char* kUnknown = "unknown";

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

/// What a kernel does longer than anything else, where its stalls were counted or refined.
std::string kernel_verdict(std::optional<double> memory_share) {
  if (!memory_share) return kBoundByCompute;
  return *memory_share > 0.5 ? "memory" : "compute";
}

}  // namespace

std::string largest_group(double comp_s, double comm_s, double others_s) {
  if (comp_s >= comm_s && comp_s >= others_s) return kBoundByCompute;
  return comm_s >= others_s ? kBoundByMessages : kBoundByOthers;
}

struct Predictor::Impl {
  const Model& model;
  WorkExpression work;
  ModelDraws laws;

  explicit Impl(const Model& m) : model(m), work(m.work), laws(m) {}

  void fill_times(Prediction* p, const DrawnTimes& drawn, double d,
                  const WhatIfEffect& effect) const {
    const DrawEstimates estimates(drawn.whole, p->confidence);
    p->time = estimates.whole();
    for (const DrawnTimes::OfPart& part : drawn.parts) {
      p->parts.*predicted_part(part.part) = estimates.part(part.sum);
      for (std::size_t i = 0; i < part.laws.size() && part.part == Part::kComp; ++i)
        p->kernels.push_back({i, model.kernels[i].name, model.kernels[i].role,
                              estimates.part(part.laws[i]),
                              kernel_verdict(effect.memory_share_of(i, p->procs, d))});
    }
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

  /// Draws of the reference for speed-up and efficiency, and its work.
  struct Reference {
    int procs = 0;
    double work = 0;
    Draws time_s{};  // all 0: unknown
  };

  Reference reference(const ScenarioSizes& sizes, const WhatIfEffect& effect) const {
    Reference r{.procs = model.min_procs(), .work = sizes.work_at(model.min_procs())};
    for (const ModelPoint& point : model.points)
      if (effect.assumptions().empty() && point.procs == r.procs && point.complete &&
          std::abs(point.work - r.work) <= 1e-9 * r.work)
        r.time_s.fill(point.known_s);
    if (r.time_s[0] <= 0) r.time_s = laws.at(r.procs, r.work, effect, false).whole;
    return r;
  }

  /// Work per time, relative to the reference: with equal sizes the plain ratio of times.
  static Draws speedup(const Draws& whole, int procs, double d, const Reference& reference) {
    const bool is_itself =
        procs == reference.procs && std::abs(d - reference.work) <= 1e-9 * reference.work;
    Draws speedup{};
    for (std::size_t k = 0; k < kDraws; ++k)
      if (whole[k] > 0)
        speedup[k] = is_itself ? 1 : reference.time_s[k] / whole[k] * (d / reference.work);
    return speedup;
  }

  Glance glance(const DrawnTimes& drawn, int procs, double d, const Reference& reference,
                double confidence) const {
    Glance g;
    g.procs = procs;
    g.whole = drawn.whole;
    for (const DrawnTimes::OfPart& part : drawn.parts) {
      const bool is_other = part.part == Part::kOffCpu || part.part == Part::kOthers;
      Draws& group = part.part == Part::kComp ? g.comp : is_other ? g.others : g.comm;
      for (std::size_t k = 0; k < kDraws; ++k) group[k] += part.sum[k];
    }
    const DrawEstimates estimates(drawn.whole, confidence);
    g.time = estimates.whole();
    g.is_complete = drawn.parts.size() == kParts.size();
    g.bound = bound_is_known() ? largest_group(estimates.part_s(g.comp), estimates.part_s(g.comm),
                                               estimates.part_s(g.others))
                               : kUnknown;
    g.efficiency = speedup(drawn.whole, procs, d, reference);
    for (double& e : g.efficiency) e *= static_cast<double>(reference.procs) / procs;
    return g;
  }

  /// What is missing might be the largest.
  bool bound_is_known() const {
    return has_part(model, Part::kComp) &&
           (has_part(model, Part::kCommP2p) || has_part(model, Part::kCommColl)) &&
           !knows_only_wholes(model);
  }

  void fill_bound(Prediction* p, const Glance& here, const ScenarioSizes& sizes,
                  const Reference& reference, const WhatIfEffect& effect) const {
    p->bound = here.bound;
    if (p->bound == kUnknown) return;
    Glances ahead([&](int procs) {
      if (procs == here.procs) return here;
      const double d = sizes.work_at(procs);
      return glance(laws.at(procs, d, effect, false), procs, d, reference, p->confidence);
    });
    const double farthest = std::min(kHorizon * model.max_procs(), 1e9);
    if (farthest <= p->procs) return;
    const std::vector<BoundChange> changes =
        changes_of_bound(&ahead, doublings(p->procs, static_cast<int>(farthest)), p->confidence);
    if (changes.size() < 2) return;
    p->bound_changes_at = changes[1].from;
    p->bound_becomes = changes[1].bound;
  }

  void fill_efficiency(Prediction* p, const Draws& whole, double d,
                       const Reference& reference) const {
    p->reference_procs = reference.procs;
    if (p->time.time_s <= 0 || reference.time_s[0] <= 0) return;
    Draws ratios = speedup(whole, p->procs, d, reference);
    const double scale = static_cast<double>(reference.procs) / p->procs;
    p->speedup = quantile(&ratios, 0.5);
    p->efficiency = *p->speedup * scale;
    p->efficiency_interval = {scale * quantile(&ratios, 0.5 - 0.5 * p->confidence),
                              scale * quantile(&ratios, 0.5 + 0.5 * p->confidence)};
  }

  /// What was measured, and what the reference models say, holds for the machine of the runs only.
  void fill_comparisons(Prediction* p, double d, const WhatIfEffect& effect) const {
    if (!effect.assumptions().empty()) return;
    for (const ModelPoint& point : model.points)
      if (point.procs == p->procs && point.params == p->params && point.complete)
        p->measured_s = point.known_s;
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

  void check(const Scenario& scenario) const {
    if (scenario.procs < 1) throw InputError("", "expected at least one process");
    if (!(scenario.confidence > 0 && scenario.confidence < 1))
      throw InputError("", "the confidence must lie between 0 and 1");
  }

  Prediction predict(const Scenario& scenario) const {
    check(scenario);
    const ScenarioSizes sizes(model, scenario);
    Prediction p;
    p.procs = scenario.procs;
    p.params = sizes.params_at(scenario.procs);
    p.confidence = scenario.confidence;
    p.extrapolation_factor = static_cast<double>(scenario.procs) / model.max_procs();
    p.grade = model.grade;
    p.backtest = model.backtest;
    p.is_undivided = knows_only_wholes(model);
    const double d = sizes.work_at(scenario.procs);
    compare_sizes(&p, d);
    const WhatIfEffect effect(model, laws.parts(), scenario.what_if, scenario.procs, d);
    p.assumptions = effect.assumptions();
    const DrawnTimes drawn = laws.at(p.procs, d, effect, true);
    const Reference compared_with = reference(sizes, effect);
    fill_times(&p, drawn, d, effect);
    fill_bound(&p, glance(drawn, p.procs, d, compared_with, p.confidence), sizes, compared_with,
               effect);
    fill_efficiency(&p, drawn.whole, d, compared_with);
    fill_comparisons(&p, d, effect);
    fill_warnings(&p, scenario, sizes);
    for (const std::string& s : effect.warnings()) p.warnings.push_back(s);
    return p;
  }

  Glance glance(const Scenario& scenario) const {
    check(scenario);
    const ScenarioSizes sizes(model, scenario);
    const double d = sizes.work_at(scenario.procs);
    const WhatIfEffect effect(model, laws.parts(), scenario.what_if, scenario.procs, d);
    return glance(laws.at(scenario.procs, d, effect, false), scenario.procs, d,
                  reference(sizes, effect), scenario.confidence);
  }
};

Predictor::Predictor(const Model& model) : impl_(std::make_unique<Impl>(model)) {}
Predictor::~Predictor() = default;
Predictor::Predictor(Predictor&&) noexcept = default;

Prediction Predictor::predict(const Scenario& scenario) const { return impl_->predict(scenario); }

Glance Predictor::glance(const Scenario& scenario) const { return impl_->glance(scenario); }

Prediction predict(const Model& model, const Scenario& scenario) {
  return Predictor(model).predict(scenario);
}

}  // namespace apmt
