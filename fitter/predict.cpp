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

/// Seconds by what would shorten them. `mem_s`: absent where too little computation is split.
struct Groups {
  double comp_s = 0;
  std::optional<double> mem_s;
  double comm_s = 0;
  double others_s = 0;

  std::string largest() const {
    const double computation = std::max(comp_s, mem_s.value_or(0));
    if (computation < std::max(comm_s, others_s))
      return comm_s >= others_s ? "communication" : "others";
    if (!mem_s) return kComputeOrMemory;
    return *mem_s > comp_s ? "memory" : "compute";
  }
};

/// The computation of all kernels, by what is known of each.
class SplitTimes {
 public:
  static constexpr double kEnough =
      0.9;  // of the time, from which the rest may pass as computation

  void add(double time_s, const std::optional<MemorySplit>& split, double procs, double work) {
    all_s_ += time_s;
    if (!split) return;
    known_s_ += time_s;
    memory_s_ += time_s * split->memory_elasticity(procs, work);
  }
  double unknown_share() const { return all_s_ > 0 ? 1 - known_s_ / all_s_ : 0; }
  bool is_known() const { return known_s_ > 0 && known_s_ >= kEnough * all_s_; }
  void put_into(Groups* groups) const {
    groups->comp_s = is_known() ? all_s_ - memory_s_ : all_s_;
    if (is_known()) groups->mem_s = memory_s_;
  }

 private:
  double all_s_ = 0;
  double known_s_ = 0;
  double memory_s_ = 0;
};

/// `share` of a time, `low` to `high` of it likely; the time and its share err independently.
TimeEstimate share_of(const TimeEstimate& t, double share, double low, double high) {
  TimeEstimate part{.time_s = share * t.time_s};
  part.low_s = std::max(
      part.time_s - std::hypot(share * (t.time_s - t.low_s), (share - low) * t.time_s), 0.0);
  part.high_s =
      std::min(part.time_s + std::hypot(share * (t.high_s - t.time_s), (high - share) * t.time_s),
               std::max(part.time_s, t.high_s));
  return part;
}

/// Parts of all kernels, whose shares err independently of each other.
class SharesOfAll {
 public:
  void add(const TimeEstimate& whole, const TimeEstimate& part) {
    whole_s_ += whole.time_s;
    part_s_ += part.time_s;
    if (whole.time_s <= 0) return;
    const double share = part.time_s / whole.time_s;
    below_s2_ += own(part.time_s - part.low_s, share * (whole.time_s - whole.low_s));
    above_s2_ += own(part.high_s - part.time_s, share * (whole.high_s - whole.time_s));
  }
  TimeEstimate of(const TimeEstimate& all) const {
    if (whole_s_ <= 0) return {};
    const double share = part_s_ / whole_s_;
    return share_of(all, share, share - std::sqrt(below_s2_) / whole_s_,
                    share + std::sqrt(above_s2_) / whole_s_);
  }

 private:
  /// What a deviation has beside the time's.
  static double own(double deviation_s, double times_s) {
    return std::max(deviation_s * deviation_s - times_s * times_s, 0.0);
  }
  double whole_s_ = 0;
  double part_s_ = 0;
  double below_s2_ = 0;
  double above_s2_ = 0;
};

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
    Groups groups;
    SplitTimes computation;
    for (const PartLaws& p : parts) {
      if (p.is_nothing_at(procs)) continue;
      for (std::size_t i = 0; i < p.laws.size(); ++i) {
        const double t = p.laws[i].centre(procs, d, effect.factors(p.part, i, procs, d));
        if (p.part == Part::kComp)
          computation.add(t, effect.split_of(i), procs, d);
        else if (p.part == Part::kOffCpu || p.part == Part::kOthers)
          groups.others_s += t;
        else
          groups.comm_s += t;
      }
    }
    computation.put_into(&groups);
    return groups.largest();
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

  void add_kernel(std::size_t index, const TimeEstimate& time, Prediction* p) const {
    PredictedKernel& k = p->kernels.emplace_back();
    k.index = index;
    k.name = model.kernels[index].name;
    k.role = model.kernels[index].role;
    k.time = time;
    k.bound = kComputeOrMemory;
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
        if (part.part == Part::kComp) add_kernel(i, t, p);
      }
      p->parts.*predicted_part(part.part) = sum.total();
    }
    split_kernels(p, d, effect);
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

  /// Computation apart from what memory blocks, of each kernel and of all.
  void split_kernels(Prediction* p, double d, const WhatIfEffect& effect) const {
    SplitTimes known;
    SharesOfAll comp, mem;
    for (PredictedKernel& k : p->kernels) {
      const std::optional<MemorySplit> split = effect.split_of(k.index);
      known.add(k.time.time_s, split, p->procs, d);
      if (!split) {
        comp.add(k.time, k.time);
        mem.add(k.time, {});
        continue;
      }
      const double share = split->mean_share(p->procs, d);
      const double low = split->share_quantile(0.5 - 0.5 * p->confidence, p->procs, d);
      const double high = split->share_quantile(0.5 + 0.5 * p->confidence, p->procs, d);
      k.mem = share_of(k.time, share, std::min(low, share), std::max(high, share));
      k.comp = share_of(k.time, 1 - share, 1 - std::max(high, share), 1 - std::min(low, share));
      comp.add(k.time, *k.comp);
      mem.add(k.time, *k.mem);
      const double memory_bound = split->memory_bound(p->procs, d);
      k.bound = memory_bound > 0.5 ? "memory" : "compute";
      k.bound_probability = std::max(memory_bound, 1 - memory_bound);
    }
    p->parts.comp = p->parts.computation;
    if (!known.is_known()) return;
    p->parts.comp = comp.of(*p->parts.computation);
    p->parts.mem = mem.of(*p->parts.computation);
    if (known.unknown_share() > 0.01)
      p->warnings.push_back(number(100 * known.unknown_share()) +
                            " % of the time outside MPI is in functions whose memory accesses were "
                            "not counted; it stands as computation");
  }

  /// Along P, where the verdict of a kernel becomes the other one.
  static std::optional<VerdictChange> change_of(const MemorySplit& split, const Prediction& p,
                                                int most, const ScenarioSizes& sizes) {
    const auto memory_bound = [&](int procs) {
      return split.memory_bound(procs, sizes.work_at(procs));
    };
    const bool is_memory = memory_bound(p.procs) > 0.5;
    const auto first_with = [&](double probability) -> std::optional<int> {
      const auto holds = [&](int procs) {
        const double other = is_memory ? 1 - memory_bound(procs) : memory_bound(procs);
        return other >= probability;
      };
      if (holds(p.procs)) return p.procs;
      for (int before = p.procs; before <= most / 2; before *= 2) {
        if (!holds(2 * before)) continue;
        int low = before, high = 2 * before;
        while (high - low > std::max(1, low / 16)) {
          const int middle = low + (high - low) / 2;
          (holds(middle) ? high : low) = middle;
        }
        return high;
      }
      return std::nullopt;
    };
    const std::optional<int> likely = first_with(0.5);
    if (!likely || *likely == p.procs) return std::nullopt;
    return VerdictChange{*likely, *first_with(0.1), first_with(0.9)};
  }

  void find_changes_of_kernels(Prediction* p, const ScenarioSizes& sizes,
                               const WhatIfEffect& effect) const {
    const double most = std::min(kHorizon * model.max_procs(), 1e9);
    for (PredictedKernel& k : p->kernels)
      if (const std::optional<MemorySplit> split = effect.split_of(k.index))
        k.bound_changes = change_of(*split, *p, static_cast<int>(most), sizes);
  }

  void fill_bound(Prediction* p, double d, const WhatIfEffect& effect) const {
    const auto time = [](const std::optional<TimeEstimate>& t) { return t ? t->time_s : 0; };
    const bool knows_comm = p->parts.comm_p2p || p->parts.comm_coll;
    if (!p->parts.computation || !knows_comm || p->is_undivided) {
      p->bound = kUnknown;  // what is missing might be the largest
      return;
    }
    SplitTimes computation;
    for (const PredictedKernel& k : p->kernels)
      computation.add(k.time.time_s, effect.split_of(k.index), p->procs, d);
    Groups groups;
    groups.comm_s = time(p->parts.comm_p2p) + time(p->parts.comm_coll) + time(p->parts.comm_wait) +
                    time(p->parts.comm_other);
    groups.others_s = time(p->parts.off_cpu) + time(p->parts.others);
    computation.put_into(&groups);
    p->bound = groups.largest();
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
    fill_bound(&p, d, effect);
    if (in_full) {
      find_change_of_bound(&p, d, sizes, effect);
      find_changes_of_kernels(&p, sizes, effect);
    }
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
