#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "base/input_error.h"
#include "base/words.h"
#include "fitter/computation/cache_check.h"
#include "fitter/computation/cost_split.h"
#include "fitter/model/model_parts.h"
#include "fitter/prediction/call_sizes.h"
#include "fitter/prediction/draw_estimates.h"
#include "fitter/prediction/draw_search.h"
#include "fitter/prediction/kernel_verdicts.h"
#include "fitter/prediction/model_draws.h"
#include "fitter/prediction/predicted_part.h"
#include "fitter/prediction/prediction.h"
#include "fitter/prediction/scenario_sizes.h"
#include "fitter/prediction/what_if_effect.h"
#include "fitter/runs/work.h"

namespace apmt {
namespace {

constexpr double kWorthless = 1000;  // predictions beyond this extrapolation factor are worthless
constexpr double kFarWarning = 64;
constexpr double kRoundedSizes = 1.05;  // sizes are rounded: within this ratio, work is the same
constexpr const char* kUnknown = "unknown";

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

/// Sorts by falling time, including the kernel's own calls to MPI; the rest comes last.
void sort_by_cost(std::vector<PredictedKernel>* kernels) {
  const auto cost_s = [](const PredictedKernel& k) {
    return k.time.time_s + (k.transfer ? k.transfer->time_s : 0) + (k.wait ? k.wait->time_s : 0);
  };
  std::stable_sort(kernels->begin(), kernels->end(),
                   [&](const PredictedKernel& a, const PredictedKernel& b) {
                     const bool a_rest = a.role == KernelRole::kRest;
                     const bool b_rest = b.role == KernelRole::kRest;
                     if (a_rest != b_rest) return b_rest;
                     return cost_s(a) > cost_s(b);
                   });
}

/// The compute time of all kernels, and in every draw the part of it that is blocked by memory.
class SplitTimes {
 public:
  void add_unsplit(double time_s) { all_s_ += time_s; }
  void add(double time_s, const Draws& blocked, double elasticity) {
    all_s_ += time_s;
    known_s_ += time_s;
    by_memory_s_ += elasticity * time_s;
    for (std::size_t k = 0; k < kDraws; ++k) blocked_[k] += blocked[k];
  }
  bool is_known() const { return known_s_ > 0 && known_s_ >= kEnoughSplit * all_s_; }
  double unknown_share() const { return all_s_ > 0 ? 1 - known_s_ / all_s_ : 0; }
  const Draws& blocked() const { return blocked_; }
  /// Whether a faster memory would shorten all kernels together by more than a faster core would.
  bool is_memory_bound() const { return by_memory_s_ > 0.5 * all_s_; }

 private:
  double all_s_ = 0;
  double known_s_ = 0;
  double by_memory_s_ = 0;
  Draws blocked_{};
};

Draws difference(const Draws& a, const Draws& b) {
  Draws d{};
  for (std::size_t k = 0; k < kDraws; ++k) d[k] = a[k] - b[k];
  return d;
}

/// The part of a kernel's time that is blocked by memory, in each draw.
Draws blocked_of(const Draws& time, const MemorySplit& split, double procs, double work) {
  const std::vector<double> shares = split.shares(procs, work);
  const auto ways = ways_of_draws(shares.size());
  Draws blocked{};
  for (std::size_t k = 0; k < kDraws; ++k) blocked[k] = time[k] * shares[ways[k]];
  return blocked;
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
    p->time = drawn.estimate(p->confidence);
    for (const DrawnTimes::OfPart& part : drawn.parts) {
      const DrawEstimates estimates(part.sum, p->confidence);
      p->parts.*predicted_part(part.part) = estimates.part();
      if (part.part == Part::kComp) fill_kernels(p, part, estimates, d, effect);
      if (part.part == Part::kCommP2p) p->messages = groups_of(part, estimates);
      if (part.part == Part::kCommColl) p->collectives = groups_of(part, estimates);
    }
    for (const Part part : kParts)
      if (!has_part(model, part)) p->missing.push_back(key(part));
  }

  std::vector<PredictedGroup> groups_of(const DrawnTimes::OfPart& drawn,
                                        const DrawEstimates& estimates) const {
    std::vector<PredictedGroup> groups;
    const std::vector<LawOfPart> all = laws_of(model, drawn.part);
    for (std::size_t i = 0; i < all.size() && all.size() > 1; ++i)
      groups.push_back({all[i].group, estimates.term(drawn.laws[i]), std::nullopt});
    return groups;
  }

  /// Divides the time of each kernel, and of all together, into computation and time blocked by
  /// memory.
  void fill_kernels(Prediction* p, const DrawnTimes::OfPart& drawn, const DrawEstimates& estimates,
                    double d, const WhatIfEffect& effect) const {
    SplitTimes all;
    for (std::size_t i = 0; i < drawn.laws.size(); ++i) {
      PredictedKernel& k = p->kernels.emplace_back();
      k.index = i;
      k.name = model.kernels[i].name;
      k.role = model.kernels[i].role;
      k.time = estimates.term(drawn.laws[i]);
      const std::optional<MemorySplit> split = effect.split_of(i);
      if (!split) {
        all.add_unsplit(k.time.time_s);
        continue;
      }
      const Draws blocked = blocked_of(drawn.laws[i], *split, p->procs, d);
      k.mem = estimates.term(blocked);
      k.comp = estimates.term(difference(drawn.laws[i], blocked));
      all.add(k.time.time_s, blocked, split->memory_elasticity(p->procs, d));
    }
    p->parts.comp = p->parts.computation;
    if (!all.is_known()) return;
    p->parts.mem = estimates.term(all.blocked());
    p->parts.comp = estimates.term(difference(drawn.sum, all.blocked()));
    p->is_memory_bound = all.is_memory_bound();
    if (all.unknown_share() > 0.01)
      p->warnings.push_back(number(100 * all.unknown_share()) +
                            " % of the time outside MPI is in functions whose memory accesses were "
                            "not counted; it counts as computation");
  }

  /// The point to which speed-up and efficiency are relative.
  struct Reference {
    int procs = 0;
    double work = 0;
    Draws time_s{};  // all 0: unknown
    double estimate_s = 0;
  };

  /// The only point for which `is_it` is true; nullptr if there is none, or if there are several in
  /// different layouts.
  template <typename IsIt>
  const ModelPoint* only_point(const IsIt& is_it) const {
    const ModelPoint* only = nullptr;
    for (const ModelPoint& p : model.points) {
      if (!is_it(p)) continue;
      if (only != nullptr) return nullptr;
      only = &p;
    }
    return only;
  }

  Reference reference(const ScenarioSizes& sizes, const WhatIfEffect& effect) const {
    Reference r{.procs = model.min_procs(), .work = sizes.work_at(model.min_procs())};
    const ModelPoint* measured = only_point([&](const ModelPoint& point) {
      return point.procs == r.procs && std::abs(point.work - r.work) <= 1e-9 * r.work;
    });
    if (effect.assumptions().empty() && measured != nullptr && measured->complete)
      r.time_s.fill(r.estimate_s = measured->known_s);
    if (r.time_s[0] > 0) return r;
    const DrawnTimes drawn = laws.at(r.procs, r.work, effect, false);
    r.time_s = drawn.whole;
    r.estimate_s = drawn.estimate(0.5).time_s;
    return r;
  }

  static bool is_itself(int procs, double d, const Reference& reference) {
    return procs == reference.procs && std::abs(d - reference.work) <= 1e-9 * reference.work;
  }

  /// The speed-up: work per time, relative to the reference. With equal sizes, it is the ratio of
  /// times.
  static Draws speedup(const Draws& whole, int procs, double d, const Reference& reference) {
    const bool same = is_itself(procs, d, reference);
    Draws speedup{};
    for (std::size_t k = 0; k < kDraws; ++k)
      if (whole[k] > 0)
        speedup[k] = same ? 1 : reference.time_s[k] / whole[k] * (d / reference.work);
    return speedup;
  }

  Glance glance(const DrawnTimes& drawn, int procs, double d, const Reference& reference,
                double confidence) const {
    Glance g;
    g.procs = procs;
    g.whole = drawn.whole;
    double comp_s = 0, comm_s = 0, others_s = 0;
    for (const DrawnTimes::OfPart& part : drawn.parts) {
      const bool is_comp = part.part == Part::kComp;
      const bool is_other =
          part.part == Part::kOffCpu || part.part == Part::kStart || part.part == Part::kEnd;
      Draws& group = is_comp ? g.comp : is_other ? g.others : g.comm;
      for (std::size_t k = 0; k < kDraws; ++k) group[k] += part.sum[k];
      (is_comp ? comp_s : is_other ? others_s : comm_s) += median(part.sum);
    }
    g.time = drawn.estimate(confidence);
    g.is_complete = drawn.parts.size() == kParts.size();
    g.bound = bound_is_known() ? largest_group(comp_s, comm_s, others_s) : kUnknown;
    g.efficiency = speedup(drawn.whole, procs, d, reference);
    for (double& e : g.efficiency) e *= static_cast<double>(reference.procs) / procs;
    return g;
  }

  /// Returns false if a missing part might be the largest.
  bool bound_is_known() const {
    return has_part(model, Part::kComp) &&
           (has_part(model, Part::kCommP2p) || has_part(model, Part::kCommColl)) &&
           !knows_only_wholes(model);
  }

  void fill_bound(Prediction* p, const Glance& here, const ScenarioSizes& sizes,
                  const Reference& reference, const WhatIfEffect& effect) const {
    p->bound = here.bound;
    if (p->bound == kUnknown) return;
    if (p->bound == kBoundByCompute && p->is_memory_bound)
      p->bound = *p->is_memory_bound ? kBoundByMemory : kBoundByCore;
    Glances ahead([&](int procs) {
      if (procs == here.procs) return here;
      const double d = sizes.work_at(procs);
      return glance(laws.at(procs, d, effect, false), procs, d, reference, p->confidence);
    });
    const double farthest = std::min(kHorizon * model.max_procs(), 1e9);
    if (farthest <= p->procs) return;
    // The list of counts ends where the bound has changed in enough draws to give the upper end of
    // the interval.
    std::vector<int> counts;
    for (const int procs : doublings(p->procs, static_cast<int>(farthest))) {
      counts.push_back(procs);
      const Glance& there = ahead.at(procs);
      if (there.bound != here.bound &&
          share_with_other_bound(there, here.bound) > 0.5 + 0.5 * p->confidence)
        break;
    }
    const std::vector<BoundChange> changes = changes_of_bound(&ahead, counts, p->confidence);
    if (changes.size() < 2) return;
    p->bound_changes_at = changes[1].from;
    p->bound_becomes = changes[1].bound;
  }

  /// Fills in the shares of latency, but not in what-ifs, because changed costs of latency or
  /// bandwidth would change the shares.
  void fill_latency(Prediction* p, double d, const WhatIfEffect& effect) const {
    if (!effect.assumptions().empty()) return;
    for (const PartLaws& part : laws.parts()) {
      if (part.part == Part::kCommP2p) p->p2p_latency = share_of_latency(part, p->procs, d);
      if (part.part == Part::kCommColl) p->coll_latency = share_of_latency(part, p->procs, d);
    }
    for (const auto& [part, groups] :
         {std::pair(Part::kCommP2p, &p->messages), std::pair(Part::kCommColl, &p->collectives)}) {
      const std::vector<LawOfPart> all = laws_of(model, part);
      for (std::size_t i = 0; i < groups->size(); ++i)
        (*groups)[i].latency = latency_share(part, all[i], p->procs, d);
    }
  }

  /// The share of latency in the time of a part; absent if it is unknown for more than a tenth of
  /// the time.
  std::optional<double> share_of_latency(const PartLaws& part, double procs, double d) const {
    constexpr double kMostUnknown = 0.1;
    const std::vector<LawOfPart> all = laws_of(model, part.part);
    double known_s = 0, unknown_s = 0, latency_s = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double time_s = part.laws[i].centre(procs, d);
      const std::optional<double> share = latency_share(part.part, all[i], procs, d);
      (share ? known_s : unknown_s) += time_s;
      latency_s += share.value_or(0) * time_s;
    }
    if (!(known_s > 0) || unknown_s > kMostUnknown * (known_s + unknown_s)) return std::nullopt;
    return latency_s / known_s;
  }

  void fill_efficiency(Prediction* p, const Draws& whole, double d,
                       const Reference& reference) const {
    p->reference_procs = reference.procs;
    if (p->time.time_s <= 0 || reference.time_s[0] <= 0) return;
    Draws ratios = speedup(whole, p->procs, d, reference);
    const double scale = static_cast<double>(reference.procs) / p->procs;
    p->speedup = is_itself(p->procs, d, reference)
                     ? 1
                     : reference.estimate_s / p->time.time_s * (d / reference.work);
    p->efficiency = *p->speedup * scale;
    p->efficiency_interval = {
        std::min(*p->efficiency, scale * quantile(&ratios, 0.5 - 0.5 * p->confidence)),
        std::max(*p->efficiency, scale * quantile(&ratios, 0.5 + 0.5 * p->confidence))};
  }

  /// Measurements and reference models are valid only for the machine of the runs.
  void fill_comparisons(Prediction* p, double d, const WhatIfEffect& effect) const {
    if (!effect.assumptions().empty()) return;
    const ModelPoint* measured = only_point([&](const ModelPoint& point) {
      return point.procs == p->procs && point.params == p->params;
    });
    if (measured != nullptr && measured->complete) p->measured_s = measured->known_s;
    for (const Baseline& b : model.baselines) p->baselines_s[b.name] = b.time_s(p->procs, d);
  }

  void compare_sizes(Prediction* p, double d) const {
    double largest = 0;
    for (const ModelPoint& point : model.points) largest = std::max(largest, point.work);
    if (largest <= 0) return;
    p->size_factor = d / largest;
    // Sizes that grew with the process count in the campaign are expected to continue to grow.
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
                  " times the largest profiled process count; record runs with more processes");
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
    warn_of_layouts(p);
    const std::string coverage = coverage_warning(model.summary);
    if (!coverage.empty()) w.push_back(coverage);
    if (model.is_virtual) w.push_back("measured on a simulated cluster: times are the simulator's");
    if (knows_only_wholes(model))
      w.push_back("only total times are known: neither their parts nor what bounds them");
    else if (model.grade == Grade::kD)
      w.push_back(
          "without sampling, computation is not divided into kernels and includes time off the "
          "CPU");
    for (const std::string& s : cache_warnings(model, p->procs, sizes.work_at(p->procs)))
      w.push_back(s);
    for (const std::string& s : call_size_warnings(model, *p, sizes.work_at(p->procs)))
      w.push_back(s);
    for (const std::string& s : sizes.warnings()) w.push_back(s);
  }

  /// Warns if the runs at one process count and size have different layouts.
  void warn_of_layouts(Prediction* p) const {
    for (std::size_t i = 1; i < model.points.size(); ++i) {
      const ModelPoint& point = model.points[i];
      if (point.procs != model.points[i - 1].procs || point.params != model.points[i - 1].params)
        continue;
      p->warnings.push_back("the runs at P = " + std::to_string(point.procs) +
                            " differ in layout: the prediction lies between them and is for none "
                            "of them in particular");
      return;
    }
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
    KernelVerdicts verdicts(model, laws, sizes, effect, p.confidence);
    for (PredictedKernel& kernel : p.kernels) verdicts.judge(p.procs, &kernel);
    sort_by_cost(&p.kernels);
    fill_latency(&p, d, effect);
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

  KernelTimes kernel_times(const Scenario& scenario) const {
    check(scenario);
    const ScenarioSizes sizes(model, scenario);
    const double d = sizes.work_at(scenario.procs);
    const WhatIfEffect effect(model, laws.parts(), scenario.what_if, scenario.procs, d);
    const DrawnTimes drawn = laws.at(scenario.procs, d, effect, true);
    KernelTimes times{.procs = scenario.procs,
                      .params = sizes.params_at(scenario.procs),
                      .work = d,
                      .whole = drawn.estimate(scenario.confidence),
                      .draws = drawn.whole,
                      .kernels = {},
                      .parts = {}};
    for (const DrawnTimes::OfPart& part : drawn.parts) {
      times.parts.push_back({key(part.part), part.sum});
      if (part.part != Part::kComp) continue;
      const DrawEstimates estimates(part.sum, scenario.confidence);
      for (const Draws& law : part.laws) times.kernels.push_back({estimates.term_s(law), law});
    }
    return times;
  }
};

Predictor::Predictor(const Model& model) : impl_(std::make_unique<Impl>(model)) {}
Predictor::~Predictor() = default;
Predictor::Predictor(Predictor&&) noexcept = default;

Prediction Predictor::predict(const Scenario& scenario) const { return impl_->predict(scenario); }

Glance Predictor::glance(const Scenario& scenario) const { return impl_->glance(scenario); }

KernelTimes Predictor::kernel_times(const Scenario& scenario) const {
  return impl_->kernel_times(scenario);
}

Prediction predict(const Model& model, const Scenario& scenario) {
  return Predictor(model).predict(scenario);
}

}  // namespace apmt
