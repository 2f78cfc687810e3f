#include "fitter/computation/kernel_counts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "fitter/computation/memory_evidence.h"
#include "fitter/laws/count_fit.h"
#include "fitter/laws/law_ahead.h"
#include "fitter/mechanisms.h"
#include "fitter/runs/run_parts.h"
#include "fitter/runs/spread.h"

namespace apmt {
namespace {

constexpr const char* kInstructions = "instructions";
/// If instructions were not counted, floating-point operations represent the computation.
constexpr const char* kFlops = "flops";
constexpr std::size_t kMostFamilies = 4;  // if more laws fit, the less likely ones are dropped
/// A count is used although some of a kernel's functions lack it if they take at most this share of
/// its time.
constexpr double kMostUncounted = 0.1;
constexpr double kAgree = 1.5;     // largest ratio of two times that agree
constexpr double kMatters = 0.01;  // of a kernel's time; accesses that take less hardly matter
constexpr std::array kAccesses = {"acc_mm", "acc_mm_demand", "hit_LLC"};

/// One counter in one run, summed over the functions of a kernel.
struct CounterSum {
  double total = 0;
  double samples = 0;
  Provenance provenance = Provenance::kHardware;
  double counted_s = 0;  // CPU time of the functions that have the counter
};
using CounterSums = std::map<std::string, CounterSum>;  // by metric

/// `visit` passes each counter of a function to `add`, which returns the sum. Sums that lack
/// functions with much of the kernel's time are left out.
template <typename Visit>
CounterSums summed(const std::vector<const KernelProfile*>& functions, const Visit& visit) {
  CounterSums sums;
  double all_s = 0;
  for (const KernelProfile* k : functions) {
    const auto cpu = k->counters.find(kCpuMetric);
    const double seconds = cpu == k->counters.end() ? 0 : cpu->second.total();
    all_s += seconds;
    visit(*k, [&](const std::string& metric, double total) -> CounterSum& {
      CounterSum& sum = sums[metric];
      sum.total += total;
      sum.counted_s += seconds;
      return sum;
    });
  }
  std::erase_if(sums, [&](const auto& entry) {
    return all_s - entry.second.counted_s > kMostUncounted * all_s;
  });
  return sums;
}

bool is_wanted(const std::string& metric, FitDepth depth) {
  if (metric == kCpuMetric) return false;
  return depth == FitDepth::kWhole || metric == kInstructions || metric == kFlops ||
         metric.starts_with("acc_mm") || metric == "hit_LLC" || metric == "stall" ||
         metric == "cycles";
}

/// The counters of a kernel's functions in one run.
CounterSums counted(const std::vector<const KernelProfile*>& functions, FitDepth depth) {
  return summed(functions, [&](const KernelProfile& k, const auto& add) {
    for (const auto& [metric, counter] : k.counters) {
      if (!is_wanted(metric, depth)) continue;
      CounterSum& sum = add(metric, counter.total());
      sum.samples += counter.independent_samples();
      sum.provenance = counter.provenance;
    }
  });
}

/// Whether caches affect this count, so that its law may change with the size of the data.
bool has_regimes(const std::string& metric) { return metric != kInstructions && metric != kFlops; }

/// The counts of a kernel in one run whose caches were `factor` times as large, over the recorded
/// ranks.
CounterSums counts_with(double factor, const std::vector<const KernelProfile*>& functions) {
  return summed(functions, [&](const KernelProfile& k, const auto& add) {
    for (const LargerCaches& larger : k.larger_caches)
      if (larger.factor == factor)
        for (const auto& [metric, count] : larger.counts) add(metric, count);
  });
}

const MetricModel* simulated(const std::vector<MetricModel>& metrics, const std::string& name) {
  const MetricModel* m = metric_named(metrics, name);
  return m != nullptr && m->provenance == Provenance::kSimulated ? m : nullptr;
}

/// Whether the simulation has every simulated count of accesses that the measured run has.
bool has_all_counts(const CountsWithLargerCaches& s, const std::vector<MetricModel>& metrics) {
  return std::ranges::all_of(kAccesses, [&](const char* metric) {
    return simulated(metrics, metric) == nullptr || s.counts.contains(metric);
  });
}

/// The time of all accesses if none overlapped, from counts by metric.
double seconds_of(const std::map<std::string, double>& counts, const MemoryCosts& costs) {
  const auto count = [&](const char* metric) {
    const auto found = counts.find(metric);
    return found == counts.end() ? 0 : found->second;
  };
  return unhidden_s(count(counts.contains("acc_mm_demand") ? "acc_mm_demand" : "acc_mm"),
                    count("hit_LLC"), costs);
}

}  // namespace

FunctionIndex::FunctionIndex(const Experiment& experiment) {
  for (const RunProfile& run : experiment.runs) {
    functions_.emplace_back();
    for (const KernelProfile& k : run.kernels) functions_.back()[k.id].push_back(&k);
  }
}

std::vector<const KernelProfile*> FunctionIndex::in_run(std::size_t run,
                                                        const std::set<KernelId>& ids) const {
  std::vector<const KernelProfile*> found;
  for (const KernelId& id : ids)
    if (const auto at = functions_[run].find(id); at != functions_[run].end())
      found.insert(found.end(), at->second.begin(), at->second.end());
  std::ranges::sort(found);  // by address: as in the run
  return found;
}

std::vector<MetricModel> fit_metrics(const Experiment& e, const FunctionIndex& functions,
                                     const std::set<KernelId>& ids, const std::vector<double>& work,
                                     const LawCatalog& catalog, FitDepth depth) {
  std::vector<CounterSums> in_run;
  std::set<std::string> metrics;
  for (std::size_t r = 0; r < e.runs.size(); ++r) {
    in_run.push_back(counted(functions.in_run(r, ids), depth));
    for (const auto& [metric, counted] : in_run.back()) metrics.insert(metric);
  }
  std::vector<MetricModel> models;
  for (const std::string& metric : metrics) {
    MetricModel m;
    m.metric = metric;
    for (std::size_t i = 0; i < e.points.size(); ++i) {
      std::vector<double> values;
      double samples = 0;
      bool simulated = false;
      for (const std::size_t r : e.points[i].runs) {
        const auto counted = in_run[r].find(metric);
        if (counted == in_run[r].end()) continue;
        simulated = simulated || counted->second.provenance == Provenance::kSimulated;
        // Ranks without a recording are assumed to have the mean count of the others.
        const double ranks = static_cast<double>(e.runs[r].times.main_s.per_rank.size());
        values.push_back(counted->second.total * e.runs[r].config.procs / ranks);
        samples += counted->second.samples;
        m.provenance = counted->second.provenance;
      }
      // Simulated counts are the same in every repetition, so one run is enough. Measured counts
      // are not, so all runs must have them, because the times are from all runs.
      const std::size_t enough = simulated ? 1 : e.points[i].runs.size();
      if (values.empty() || values.size() < enough) break;  // missing at some point: no law
      samples /= static_cast<double>(values.size());
      m.points.push_back(fit_point(e.points[i].procs, work[i],
                                   measured(values, samples > 0 ? 1 / std::sqrt(samples) : 1)));
    }
    if (m.points.size() != e.points.size()) continue;
    m.law = has_regimes(metric) ? fit_with_regimes(m.points, catalog)
                                : fit_count(m.points, catalog, CountKind::kReal);
    models.push_back(std::move(m));
  }
  return models;
}

std::vector<CountFamily> families_of(const std::vector<MetricModel>& metrics,
                                     const MemoryCosts& costs) {
  if (!mechanisms().instructions) return {};
  const std::optional<Hypothesis> unhidden = unhidden_seconds(metrics, costs);
  const bool has_memory =
      unhidden && !unhidden->terms.empty() && unhidden->rel_residual <= kWorstLawOfTime;
  const MetricModel* core = metric_named(metrics, kInstructions);
  const bool of_flops = core == nullptr;
  if (of_flops) core = metric_named(metrics, kFlops);
  if (core == nullptr) return {};
  std::vector<CountFamily> families;
  for (const Hypothesis& h : core->law.hypotheses)
    if (!h.terms.empty() && h.rel_residual <= kWorstLawOfTime && families.size() < kMostFamilies)
      families.push_back({.name = core->metric,
                          .prior = h.weight,
                          .features = {{.name = of_flops ? "cost of a flop" : "CPI / f",
                                        .unit = of_flops ? "s/flop" : "s/instruction",
                                        .of = core->metric,
                                        .counts = {h}}}});
  if (!has_memory) return families;
  for (std::size_t i = 0, alone = families.size(); i < alone; ++i) {
    CountFamily both = families[i];
    both.name += " and accesses";
    both.features.push_back(
        {.name = "BF", .unit = "s/s", .of = "accesses times latency", .counts = {*unhidden}});
    families.push_back(std::move(both));
  }
  return families;
}

std::vector<CountsWithLargerCaches> larger_caches_of(const Experiment& e,
                                                     const FunctionIndex& functions,
                                                     const std::set<KernelId>& ids) {
  std::vector<CountsWithLargerCaches> all;
  for (std::size_t point = 0; point < e.points.size(); ++point) {
    std::set<double> known;
    for (const std::size_t run : e.points[point].runs) {
      const std::vector<const KernelProfile*> in_run = functions.in_run(run, ids);
      std::set<double> factors;
      for (const KernelProfile* k : in_run)
        for (const LargerCaches& larger : k->larger_caches) factors.insert(larger.factor);
      // Ranks without a recording are assumed to have the mean count of the others.
      const RunProfile& profile = e.runs[run];
      const double ranks =
          profile.config.procs / static_cast<double>(profile.times.main_s.per_rank.size());
      for (const double factor : factors) {
        if (!known.insert(factor).second) continue;
        all.push_back({point, factor, {}});
        for (const auto& [metric, sum] : counts_with(factor, in_run))
          all.back().counts[metric] = sum.total * ranks;
      }
    }
  }
  return all;
}

bool continue_ahead(const std::vector<CountsWithLargerCaches>& simulations,
                    const std::vector<FitPoint>& times, const MemoryCosts& costs,
                    std::vector<MetricModel>* metrics) {
  const MetricModel* instructions = simulated(*metrics, "instructions");
  const MetricModel* memory = simulated(*metrics, "acc_mm");
  if (instructions == nullptr || memory == nullptr || memory->points.size() != times.size())
    return true;
  std::map<std::string, std::vector<FitPoint>> ahead;
  bool is_checked = false;
  for (const CountsWithLargerCaches& s : simulations) {
    const FitPoint& from = memory->points[s.point];
    const double procs = s.factor * from.procs;
    const double before = instructions->law.value(from.procs, from.work);
    if (!(before > 0) || !has_all_counts(s, *metrics)) continue;
    const double growth = instructions->law.value(procs, from.work) / before;
    std::map<std::string, double> foreseen = s.counts;
    for (auto& [metric, count] : foreseen) count *= growth;
    const auto same = std::ranges::find_if(memory->points, [&](const FitPoint& p) {
      return std::abs(p.procs - procs) < 0.5 && p.work == from.work;
    });
    if (same == memory->points.end()) {
      for (const auto& [metric, count] : foreseen)
        ahead[metric].push_back({procs, from.work, count});
      continue;
    }
    const auto point = static_cast<std::size_t>(same - memory->points.begin());
    std::map<std::string, double> counted;
    for (const MetricModel& m : *metrics)
      if (m.provenance == Provenance::kSimulated) counted[m.metric] = m.points[point].value;
    const double least_s = kMatters * times[point].value * same->procs;
    const double ratio = std::max(seconds_of(foreseen, costs), least_s) /
                         std::max(seconds_of(counted, costs), least_s);
    if (ratio > kAgree || 1 / ratio > kAgree) return false;
    is_checked = true;
  }
  if (!is_checked) return true;
  for (MetricModel& m : *metrics) {
    const auto points = ahead.find(m.metric);
    if (points == ahead.end()) continue;
    m.ahead = points->second;
    m.law = continued(std::move(m.law), m.points, m.ahead);
  }
  return true;
}

}  // namespace apmt
