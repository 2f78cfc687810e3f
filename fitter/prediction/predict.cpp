#include <algorithm>
#include <array>
#include <cmath>

#include "base/input_error.h"
#include "base/listed.h"
#include "base/mean.h"
#include "base/words.h"
#include "fitter/computation/cache_check.h"
#include "fitter/computation/cost_split.h"
#include "fitter/model/model_parts.h"
#include "fitter/prediction/draw_estimates.h"
#include "fitter/prediction/draw_search.h"
#include "fitter/prediction/kernel_verdicts.h"
#include "fitter/prediction/model_draws.h"
#include "fitter/prediction/prediction.h"
#include "fitter/prediction/scenario_sizes.h"
#include "fitter/prediction/what_if_effect.h"
#include "fitter/runs/passes.h"
#include "fitter/runs/point_words.h"
#include "fitter/runs/run_parts.h"

namespace apmt {
namespace {

constexpr double kWorthless = 1000;  // predictions beyond this extrapolation factor are worthless
constexpr double kFarWarning = 64;
constexpr double kRoundedSizes = 1.05;  // sizes are rounded: within this ratio, work is the same
constexpr double kMuchTime = 0.05;      // share of the predicted time
constexpr double kFarSize = 4;  // factor between a size of calls and the nearest one in the runs
constexpr const char* kUnknown = "unknown";

/// Sorts by falling time, including the kernel's own calls to MPI; the rest comes last.
void sort_by_cost(std::vector<PredictedKernel>* kernels) {
  std::ranges::stable_sort(*kernels, {}, [](const PredictedKernel& k) {
    return std::pair(
        k.role == KernelRole::kRest,
        -(k.time.time_s + (k.transfer ? k.transfer->time_s : 0) + (k.wait ? k.wait->time_s : 0)));
  });
}

Draws difference(const Draws& a, const Draws& b) {
  Draws d{};
  for (std::size_t k = 0; k < kDraws; ++k) d[k] = a[k] - b[k];
  return d;
}

/// The part of a kernel's time that is blocked by memory, in each draw.
Draws blocked_of(const Draws& time, const MemorySplit& split, double procs, double work) {
  Draws blocked = in_draws(split.shares(procs, work));
  for (std::size_t k = 0; k < kDraws; ++k) blocked[k] *= time[k];
  return blocked;
}

/// The share of the predicted time that the operation takes; that of all collectives if the
/// operation has no law of its own.
double share_of_operation(const std::string& op, const Prediction& p) {
  if (!p.parts.comm_coll || p.time.time_s <= 0) return 0;
  for (const PredictedGroup& group : p.collectives)
    if (group.name == op) return group.time.time_s / p.time.time_s;
  return p.collectives.empty() ? p.parts.comm_coll->time_s / p.time.time_s : 0;
}

/// The bytes that a call moves for each process. Only the root of a broadcast counts them.
double size_of_call(const std::string& op, double calls, double bytes, double procs) {
  return calls > 0 ? bytes / calls * factor(plain_bytes(op), procs) : 0;
}

std::string bytes_text(double bytes) {
  if (bytes < 1024) return brief_number(bytes) + " bytes";
  if (bytes < 1024 * 1024) return brief_number(bytes / 1024) + " KiB";
  return brief_number(bytes / (1024 * 1024)) + " MiB";
}

/// Warns of each collective operation that takes much of the predicted time, if a call would move
/// far less or far more data than in any profiled run. MPI libraries choose the algorithm of a
/// collective by such sizes, so the operation may then have costs that the runs do not show.
void warn_of_call_sizes(const Model& model, double work, Prediction* p) {
  for (const CountModel& c : model.counts) {
    if (!is_of_collectives(c.op_class) || share_of_operation(c.op, *p) < kMuchTime) continue;
    double least = 0, most = 0;  // bytes per call and process in the runs
    for (std::size_t i = 0; i < std::min(c.calls_points.size(), c.bytes_points.size()); ++i) {
      const double size = size_of_call(c.op, c.calls_points[i].value, c.bytes_points[i].value,
                                       c.calls_points[i].procs);
      if (size <= 0) continue;
      least = least > 0 ? std::min(least, size) : size;
      most = std::max(most, size);
    }
    const double size =
        size_of_call(c.op, c.calls.value(p->procs, work), c.bytes.value(p->procs, work), p->procs);
    if (least <= 0 || size <= 0 || (size * kFarSize > least && size < most * kFarSize)) continue;
    p->warnings.push_back("a call of " + c.op + " would move " + bytes_text(size) +
                          " per process, but " + bytes_text(least) +
                          (least == most ? "" : " to " + bytes_text(most)) +
                          " in the runs: the MPI library may use another algorithm for such sizes");
  }
}

/// The answer to one scenario.
class Answer {
 public:
  Answer(const Model& model, const ModelDraws& laws, const Scenario& scenario)
      : model_(model),
        laws_(laws),
        scenario_(scenario),
        sizes_(model, checked(scenario)),
        d_(sizes_.work_at(scenario.procs)),
        effect_(model, laws.laws(), scenario.what_if, scenario.procs, d_) {}

  Prediction predict() const {
    Prediction p;
    p.procs = scenario_.procs;
    p.params = sizes_.params_at(scenario_.procs);
    p.confidence = scenario_.confidence;
    p.extrapolation_factor = static_cast<double>(scenario_.procs) / model_.max_procs();
    p.grade = model_.grade;
    p.scaling = sizes_.scaling();
    p.backtest = model_.backtest;
    p.is_undivided = knows_only_wholes(model_);
    compare_sizes(&p);
    p.assumptions = effect_.assumptions();
    const DrawnTimes drawn = laws_.at(p.procs, d_, &effect_);
    const Reference compared_with = reference();
    fill_times(&p, drawn);
    fill_bound(&p, glance_of(drawn, compared_with), compared_with);
    judge_kernels(model_, laws_, sizes_, effect_, &p);
    sort_by_cost(&p.kernels);
    fill_efficiency(&p, drawn, compared_with);
    if (p.assumptions.empty()) fill_what_holds_in_the_runs(&p);
    fill_warnings(&p);
    return p;
  }

  Glance glance() const { return glance_of(laws_.at(scenario_.procs, d_, &effect_), reference()); }

  KernelTimes kernel_times() const {
    KernelTimes times;
    times.params = sizes_.params_at(scenario_.procs);
    times.drawn = laws_.at(scenario_.procs, d_, &effect_);
    times.whole = times.drawn.estimate(scenario_.confidence);
    for (const DrawnTimes::OfPart& part : times.drawn.parts) {
      if (part.part != Part::kComp) continue;
      const DrawEstimates estimates(part.sum, scenario_.confidence);
      for (const Draws& law : part.laws) times.kernels_s.push_back(estimates.term_s(law));
    }
    return times;
  }

 private:
  static const Scenario& checked(const Scenario& scenario) {
    if (scenario.procs < 1) throw InputError("", "expected at least one process");
    if (!(scenario.confidence > 0 && scenario.confidence < 1))
      throw InputError("", "the confidence must lie between 0 and 1");
    return scenario;
  }

  void fill_times(Prediction* p, const DrawnTimes& drawn) const {
    p->time = drawn.estimate(p->confidence);
    for (const DrawnTimes::OfPart& part : drawn.parts) {
      const DrawEstimates estimates(part.sum, p->confidence);
      p->parts.*predicted_part(part.part) = estimates.part();
      if (part.part == Part::kComp) fill_kernels(p, part, estimates);
      if (part.part == Part::kCommP2p) p->messages = groups_of(part, estimates);
      if (part.part == Part::kCommColl) p->collectives = groups_of(part, estimates);
      if (part.part == Part::kCommWait) p->waiting = groups_of(part, estimates);
    }
    for (const Part part : kParts)
      if (!has_part(model_, part)) p->missing.push_back(key(part));
  }

  std::vector<PredictedGroup> groups_of(const DrawnTimes::OfPart& drawn,
                                        const DrawEstimates& estimates) const {
    std::vector<PredictedGroup> groups;
    const std::vector<LawOfPart> all = laws_of(model_, drawn.part);
    for (std::size_t i = 0; i < all.size() && all.size() > 1; ++i)
      groups.push_back({all[i].group, estimates.term(drawn.laws[i]), std::nullopt});
    return groups;
  }

  /// Divides the time of each kernel, and of all together, into computation and time blocked by
  /// memory.
  void fill_kernels(Prediction* p, const DrawnTimes::OfPart& drawn,
                    const DrawEstimates& estimates) const {
    double all_s = 0, split_s = 0, by_memory_s = 0;
    Draws all_blocked{};
    for (std::size_t i = 0; i < drawn.laws.size(); ++i) {
      PredictedKernel& k = p->kernels.emplace_back();
      k.index = i;
      k.name = model_.kernels[i].name;
      k.role = model_.kernels[i].role;
      k.time = estimates.term(drawn.laws[i]);
      const auto one_sample_s = model_.one_sample_s(p->procs);
      k.is_unsampled = model_.kernels[i].law.kind == TimeLaw::Kind::kZero && one_sample_s;
      if (k.is_unsampled) k.time.high_s = *one_sample_s;
      all_s += k.time.time_s;
      const std::optional<MemorySplit> split = effect_.split_of(i);
      if (!split) continue;
      const Draws blocked = blocked_of(drawn.laws[i], *split, p->procs, d_);
      k.mem = estimates.term(blocked);
      k.comp = estimates.term(difference(drawn.laws[i], blocked));
      split_s += k.time.time_s;
      by_memory_s += mean(split->memory_elasticities(p->procs, d_)) * k.time.time_s;
      for (std::size_t j = 0; j < kDraws; ++j) all_blocked[j] += blocked[j];
    }
    p->parts.comp = p->parts.computation;
    if (!(split_s > 0 && split_s >= kEnoughSplit * all_s)) return;
    p->parts.mem = estimates.term(all_blocked);
    p->parts.comp = estimates.term(difference(drawn.sum, all_blocked));
    // Whether a faster memory would shorten computation by more than a faster core would.
    p->bound = by_memory_s > 0.5 * all_s ? kBoundByMemory : kBoundByCore;
    const double unknown = 1 - split_s / all_s;
    if (unknown > 0.01)
      p->warnings.push_back(brief_number(100 * unknown) +
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

  /// The time of the only point for which `is_it` is true; absent if there is none, if there are
  /// several in different layouts, or if not every part was measured.
  template <typename IsIt>
  std::optional<double> measured_s(const IsIt& is_it) const {
    const auto found = std::ranges::find_if(model_.points, is_it);
    if (std::ranges::count_if(model_.points, is_it) != 1 || !found->complete) return std::nullopt;
    return found->known_s;
  }

  /// The measured time, if there is one. A what-if changes it by the factor by which it changes the
  /// time of the laws.
  Reference reference() const {
    Reference r{.procs = model_.min_procs(), .work = sizes_.work_at(model_.min_procs())};
    const auto is_reference = [&](const ModelPoint& point) {
      return point.procs == r.procs && std::abs(point.work - r.work) <= 1e-9 * r.work;
    };
    r.time_s.fill(r.estimate_s = measured_s(is_reference).value_or(0));
    if (r.estimate_s > 0 && effect_.assumptions().empty()) return r;
    const DrawnTimes drawn = laws_.at(r.procs, r.work, &effect_);
    if (!(r.estimate_s > 0)) return {r.procs, r.work, drawn.whole, drawn.estimate(0.5).time_s};
    const DrawnTimes as_it_is = laws_.at(r.procs, r.work);
    for (std::size_t k = 0; k < kDraws; ++k)
      if (as_it_is.whole[k] > 0) r.time_s[k] *= drawn.whole[k] / as_it_is.whole[k];
    if (const double before_s = as_it_is.estimate(0.5).time_s; before_s > 0)
      r.estimate_s *= drawn.estimate(0.5).time_s / before_s;
    return r;
  }

  /// The speed-up: work per time, relative to the reference. With equal sizes, it is the ratio of
  /// times.
  static double speedup(const DrawnTimes& at, double time_s, const Reference& reference,
                        double reference_s) {
    const bool is_itself =
        at.procs == reference.procs && std::abs(at.work - reference.work) <= 1e-9 * reference.work;
    return is_itself ? 1 : reference_s / time_s * (at.work / reference.work);
  }

  static Draws speedups(const DrawnTimes& drawn, const Reference& reference) {
    Draws all{};
    for (std::size_t k = 0; k < kDraws; ++k)
      if (drawn.whole[k] > 0)
        all[k] = speedup(drawn, drawn.whole[k], reference, reference.time_s[k]);
    return all;
  }

  Glance glance_of(const DrawnTimes& drawn, const Reference& reference) const {
    Glance g;
    g.whole = drawn.whole;
    for (const DrawnTimes::OfPart& part : drawn.parts) {
      const bool is_comp = part.part == Part::kComp;
      const bool is_other = !is_comp && comm_name(part.part).empty();
      Draws& group = is_comp ? g.comp : is_other ? g.others : g.comm;
      for (std::size_t k = 0; k < kDraws; ++k) group[k] += part.sum[k];
      (is_comp ? g.comp_s : is_other ? g.others_s : g.comm_s) += median(part.sum);
    }
    g.time = drawn.estimate(scenario_.confidence);
    g.is_complete = drawn.parts.size() == kParts.size();
    // Unknown if a missing part might be the largest.
    const bool is_bound_known =
        has_part(model_, Part::kComp) &&
        (has_part(model_, Part::kCommP2p) || has_part(model_, Part::kCommColl)) &&
        !knows_only_wholes(model_);
    g.bound = is_bound_known ? largest_group(g.comp_s, g.comm_s, g.others_s) : kUnknown;
    g.efficiency = speedups(drawn, reference);
    for (double& e : g.efficiency) e *= static_cast<double>(reference.procs) / drawn.procs;
    return g;
  }

  void fill_bound(Prediction* p, const Glance& here, const Reference& reference) const {
    // fill_kernels() has chosen between memory and core, if the two are known apart.
    if (here.bound != kBoundByCompute || p->bound.empty()) p->bound = here.bound;
    if (here.bound == kUnknown) return;
    Glances ahead([&](int procs) {
      if (procs == p->procs) return here;
      return glance_of(laws_.at(procs, sizes_.work_at(procs), &effect_), reference);
    });
    const double farthest = std::min(kHorizon * model_.max_procs(), 1e9);
    if (farthest <= p->procs) return;
    // The list of counts ends where the bound has changed in enough draws to give the upper end of
    // the interval, and of narrower ones.
    constexpr double kUsual = 0.8;
    const double changed = 0.5 + 0.5 * std::max(p->confidence, kUsual);
    std::vector<int> counts;
    for (const int procs : doublings(p->procs, static_cast<int>(farthest))) {
      counts.push_back(procs);
      const Glance& there = ahead.at(procs);
      if (there.bound != here.bound && share_with_other_bound(there, here.bound) > changed) break;
    }
    const std::vector<BoundChange> changes = changes_of_bound(&ahead, counts, p->confidence);
    if (changes.size() < 2) return;
    p->bound_changes_at = changes[1].from;
    p->bound_becomes = changes[1].bound;
  }

  /// The share of latency in the time of a part; absent if it is unknown for more than a tenth of
  /// the time. Fills in the shares of its groups, if any.
  std::optional<double> share_of_latency(Part part, std::vector<PredictedGroup>* groups) const {
    constexpr double kMostUnknown = 0.1;
    double known_s = 0, unknown_s = 0, latency_s = 0;
    auto group = groups->begin();
    for (const ModelLaw& law : laws_.laws()) {
      if (law.part != part) continue;
      const double time_s = law.time.centre(scenario_.procs, d_);
      const std::optional<double> share = latency_share(part, law.its, scenario_.procs, d_);
      if (group != groups->end()) (group++)->latency = share;
      (share ? known_s : unknown_s) += time_s;
      latency_s += share.value_or(0) * time_s;
    }
    if (!(known_s > 0) || unknown_s > kMostUnknown * (known_s + unknown_s)) return std::nullopt;
    return latency_s / known_s;
  }

  void fill_efficiency(Prediction* p, const DrawnTimes& drawn, const Reference& reference) const {
    p->reference_procs = reference.procs;
    if (p->time.time_s <= 0 || reference.time_s[0] <= 0) return;
    const Draws ratios = speedups(drawn, reference);
    const double scale = static_cast<double>(reference.procs) / p->procs;
    p->speedup = speedup(drawn, p->time.time_s, reference, reference.estimate_s);
    p->efficiency = *p->speedup * scale;
    const TimeEstimate range = with_interval(*p->speedup, ratios, ratios, p->confidence);
    p->efficiency_interval = {scale * range.low_s, scale * range.high_s};
  }

  /// Measurements and reference models are valid only for the machine of the runs, and a what-if
  /// would change the shares of latency.
  void fill_what_holds_in_the_runs(Prediction* p) const {
    p->p2p_latency = share_of_latency(Part::kCommP2p, &p->messages);
    p->coll_latency = share_of_latency(Part::kCommColl, &p->collectives);
    p->measured_s = measured_s([&](const ModelPoint& point) {
      return point.procs == p->procs && point.params == p->params;
    });
    for (const Baseline& b : model_.baselines) p->baselines_s[b.name] = b.time_s(p->procs, d_);
  }

  void compare_sizes(Prediction* p) const {
    double largest = 0;
    for (const ModelPoint& point : model_.points) largest = std::max(largest, point.work);
    if (largest <= 0) return;
    p->size_factor = d_ / largest;
    p->is_beyond_sizes = d_ > kRoundedSizes * std::max(largest, campaign_work());
  }

  void fill_warnings(Prediction* p) const {
    std::vector<std::string>& w = p->warnings;
    const double factor = p->extrapolation_factor;
    p->worthless = factor > kWorthless;
    if (p->worthless)
      w.push_back("worthless: " + brief_number(factor) +
                  " times as many processes as the largest profiled run; beyond 1000 times no "
                  "useful prediction is possible");
    else if (factor > kFarWarning)
      w.push_back("far extrapolation: " + brief_number(factor) +
                  " times the largest profiled process count; record runs with more processes");
    if (!p->missing.empty()) {
      std::vector<std::string> names;
      for (const Part part : kParts)
        if (!has_part(model_, part)) names.emplace_back(words(part));
      w.push_back("the total does not include " + listed(names) + ", so it is too low");
    }
    if (scenario_.what_if.cores_per_node && scenario_.what_if.source.empty() &&
        model_.max_nodes > 1)
      w.push_back(
          "another number of cores per node changes nothing in this prediction: the runs "
          "used several nodes, and no law depends on the size of a node. With --machine, "
          "it decides whether the network within a node or between nodes is used");
    const int cores_per_node = scenario_.what_if.cores_per_node.value_or(model_.cores_per_node);
    if (cores_per_node > 0 && model_.max_nodes == 1 && p->procs > cores_per_node)
      w.push_back("no run ever crossed a node boundary (" + counted(cores_per_node, "CPU") +
                  " a node): communication between nodes is unknown");
    const auto same =
        std::ranges::adjacent_find(model_.points, [](const ModelPoint& a, const ModelPoint& b) {
          return a.procs == b.procs && a.params == b.params;
        });
    if (same != model_.points.end())
      w.push_back("the runs at " + at_point(model_.points, same->procs, same->params) +
                  " differ in layout: the prediction lies between them and is for none of them in "
                  "particular");
    warn_of_negative_laws(p);
    const std::string coverage = coverage_warning(model_.summary);
    if (!coverage.empty()) w.push_back(coverage);
    if (model_.is_virtual)
      w.push_back("measured on a simulated cluster: times are the simulator's");
    if (knows_only_wholes(model_))
      w.push_back("only total times are known: neither their parts nor what bounds them");
    else if (model_.grade == Grade::kD)
      w.push_back(
          std::string("there are no samples of computation, so it is not divided into kernels") +
          (model_.is_virtual ? "" : " and includes time off the CPU"));
    for (const std::string& each : cache_warnings(model_, p->procs, d_)) w.push_back(each);
    warn_of_call_sizes(model_, d_, p);
    const ModelPoint& largest = model_.points.back();
    if (std::abs(d_ - largest.work) > 1e-9 * largest.work &&
        std::ranges::all_of(model_.points,
                            [&](const auto& at) { return at.params == largest.params; }))
      w.push_back(
          "one problem size was profiled: computation is scaled by work per process, communication "
          "by the ratio of linear sizes");
    if (model_.scaling == Scaling::kWeak &&
        std::abs(std::log(d_ / campaign_work())) > std::log(kRoundedSizes))
      w.push_back(
          "each process count was profiled with one problem size, so the runs do not show how "
          "times depend on the size; record another size at one of these process counts");
    for (const std::string& each : effect_.warnings()) w.push_back(each);
  }

  /// Warns of closed forms that fall below zero, as differences of terms do (`--method paper`).
  void warn_of_negative_laws(Prediction* p) const {
    std::vector<std::string> names;
    for (const ModelLaw& law : laws_.laws())
      if (law.its.law->kind == TimeLaw::Kind::kExact && !law.is_nothing_at(p->procs) &&
          law.time.centre(p->procs, d_) == 0)
        names.push_back(law.its.words_of(law.part));
    if (!names.empty())
      p->warnings.push_back("the formula of " + listed(names) + " falls below zero at " +
                            counted(p->procs, "process", "processes") + " and counts as 0 s");
  }

  /// The work if sizes that grew with the process count in the campaign continue to grow.
  double campaign_work() const {
    return ScenarioSizes(model_, {.procs = scenario_.procs}).work_at(scenario_.procs);
  }

  const Model& model_;
  const ModelDraws& laws_;
  const Scenario& scenario_;
  ScenarioSizes sizes_;
  double d_;  // the work
  WhatIfEffect effect_;
};

}  // namespace

Predictor::Predictor(const Model& model)
    : model_(model), laws_(std::make_unique<ModelDraws>(model)) {}
Predictor::~Predictor() = default;

Prediction Predictor::predict(const Scenario& scenario) const {
  return Answer(model_, *laws_, scenario).predict();
}

Glance Predictor::glance(const Scenario& scenario) const {
  return Answer(model_, *laws_, scenario).glance();
}

KernelTimes Predictor::kernel_times(const Scenario& scenario) const {
  return Answer(model_, *laws_, scenario).kernel_times();
}

Prediction predict(const Model& model, const Scenario& scenario) {
  return Predictor(model).predict(scenario);
}

std::optional<TimeEstimate> PredictedParts::*predicted_part(Part part) {
  using P = PredictedParts;
  static constexpr std::array<std::optional<TimeEstimate> P::*, kParts.size()> kMembers = {
      &P::computation, &P::comm_p2p, &P::comm_coll, &P::comm_wait,
      &P::comm_other,  &P::off_cpu,  &P::start,     &P::end};
  return kMembers.at(static_cast<std::size_t>(part));
}

const PredictedKernel& Prediction::kernel(std::size_t index) const {
  return *std::ranges::find(kernels, index, &PredictedKernel::index);
}

std::string largest_group(double comp_s, double comm_s, double others_s) {
  if (comp_s >= comm_s && comp_s >= others_s) return kBoundByCompute;
  return comm_s >= others_s ? kBoundByMessages : kBoundByOthers;
}

}  // namespace apmt
