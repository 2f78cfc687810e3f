#include "fitter/computation/kernel_counts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "fitter/computation/memory_evidence.h"
#include "fitter/laws/count_fit.h"
#include "fitter/laws/regime_fit.h"
#include "fitter/mechanisms.h"
#include "fitter/runs/run_parts.h"
#include "fitter/runs/spread.h"

namespace apmt {
namespace {

constexpr const char* kInstructions = "instructions";
/// If instructions were not counted, floating-point operations represent the computation.
constexpr const char* kFlops = "flops";
constexpr std::size_t kMostFamilies = 4;  // if more laws fit, the less likely ones are dropped

/// One counter in one run, summed over the functions of a kernel.
struct Counted {
  double total = 0;
  double samples = 0;
  Provenance provenance = Provenance::kHardware;
  double counted_s = 0;    // CPU time of the functions that have the counter
  double uncounted_s = 0;  // CPU time of the functions that lack it
  bool is_enough() const { return uncounted_s <= kMostUncounted * (counted_s + uncounted_s); }
};

bool is_wanted(const std::string& metric, FitDepth depth) {
  if (metric == kCpuMetric) return false;
  return depth == FitDepth::kWhole || metric == kInstructions || metric == kFlops ||
         metric.starts_with("acc_mm") || metric == "hit_LLC" || metric == "stall" ||
         metric == "cycles";
}

/// The counters of a kernel's functions in one run, by metric.
std::map<std::string, Counted> counted(const std::vector<const KernelProfile*>& functions,
                                       FitDepth depth) {
  std::map<std::string, Counted> metrics;
  for (const KernelProfile* k : functions)
    for (const auto& [metric, counter] : k->counters)
      if (is_wanted(metric, depth)) metrics[metric];
  for (auto& [metric, sum] : metrics)
    for (const KernelProfile* k : functions) {
      const auto time = k->counters.find(kCpuMetric);
      const double seconds = time == k->counters.end() ? 0 : time->second.total();
      const auto counter = k->counters.find(metric);
      if (counter == k->counters.end()) {
        sum.uncounted_s += seconds;
        continue;
      }
      sum.counted_s += seconds;
      sum.total += counter->second.total();
      sum.samples += counter->second.independent_samples();
      sum.provenance = counter->second.provenance;
    }
  return metrics;
}

/// Whether caches affect this count, so that its law may change with the size of the data.
bool has_regimes(const std::string& metric) { return metric != kInstructions && metric != kFlops; }

/// The count that represents the computation in a kernel's time, with its cost.
struct CoreCount {
  const char* metric;
  const char* cost;
  const char* unit;
};

CoreCount core_count(const std::vector<MetricModel>& metrics) {
  const bool has_instructions =
      std::any_of(metrics.begin(), metrics.end(),
                  [](const MetricModel& m) { return m.metric == kInstructions; });
  return has_instructions ? CoreCount{kInstructions, "CPI / f", "s/instruction"}
                          : CoreCount{kFlops, "cost of a flop", "s/flop"};
}

}  // namespace

FunctionIndex::FunctionIndex(const Experiment& experiment) : experiment_(experiment) {
  for (const RunProfile& run : experiment.runs) {
    places_.emplace_back();
    for (std::size_t i = 0; i < run.kernels.size(); ++i)
      places_.back()[run.kernels[i].id].push_back(i);
  }
}

std::vector<const KernelProfile*> FunctionIndex::in_run(std::size_t run,
                                                        const std::set<KernelId>& ids) const {
  std::vector<std::size_t> found;
  for (const KernelId& id : ids)
    if (const auto at = places_[run].find(id); at != places_[run].end())
      found.insert(found.end(), at->second.begin(), at->second.end());
  std::sort(found.begin(), found.end());
  std::vector<const KernelProfile*> functions;
  for (const std::size_t i : found) functions.push_back(&experiment_.runs[run].kernels[i]);
  return functions;
}

std::vector<MetricModel> fit_metrics(const Experiment& e, const FunctionIndex& functions,
                                     const std::set<KernelId>& ids, const std::vector<double>& work,
                                     const LawCatalog& catalog, FitDepth depth) {
  std::vector<std::map<std::string, Counted>> in_run;
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
        if (counted == in_run[r].end() || !counted->second.is_enough()) continue;
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
  const CoreCount core = core_count(metrics);
  std::vector<CountFamily> families;
  for (const MetricModel& m : metrics) {
    if (m.metric != core.metric) continue;
    for (const Hypothesis& h : m.law.hypotheses) {
      if (h.terms.empty() || h.rel_residual > kWorstLawOfTime || families.size() == kMostFamilies)
        continue;
      CountFamily family;
      family.name = core.metric;
      family.prior = h.weight;
      family.features.push_back(
          {.name = core.cost, .unit = core.unit, .of = core.metric, .counts = {h}});
      families.push_back(std::move(family));
    }
  }
  if (!has_memory) return families;
  for (std::size_t i = 0, alone = families.size(); i < alone; ++i) {
    CountFamily both = families[i];
    both.name = std::string(core.metric) + " and accesses";
    both.features.push_back(
        {.name = "BF", .unit = "s/s", .of = "accesses times latency", .counts = {*unhidden}});
    families.push_back(std::move(both));
  }
  return families;
}

}  // namespace apmt
