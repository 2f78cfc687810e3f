#include "fitter/kernel_counts.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "fitter/count_fit.h"
#include "fitter/run_parts.h"
#include "fitter/spread.h"

namespace apmt {
namespace {

constexpr const char* kInstructions = "instructions";
constexpr double kWorstLaw = 0.05;  // relative residual up to which instructions explain a time
constexpr std::size_t kMostFamilies = 4;  // laws that the data cannot tell apart

const KernelProfile* find(const RunProfile& run, const KernelId& id) {
  for (const KernelProfile& k : run.kernels)
    if (k.id == id) return &k;
  return nullptr;
}

}  // namespace

std::vector<MetricModel> fit_metrics(const Experiment& e, const KernelId& id,
                                     const std::vector<double>& work, const LawCatalog& catalog) {
  std::vector<MetricModel> models;
  std::vector<const KernelProfile*> in_run;
  std::set<std::string> metrics;
  for (const RunProfile& run : e.runs) {
    in_run.push_back(find(run, id));
    if (in_run.back() != nullptr)
      for (const auto& [metric, counter] : in_run.back()->counters) metrics.insert(metric);
  }
  metrics.erase(kCpuMetric);
  for (const std::string& metric : metrics) {
    MetricModel m;
    m.metric = metric;
    for (std::size_t i = 0; i < e.points.size(); ++i) {
      std::vector<double> values;
      double samples = 0;
      bool simulated = false;
      for (const std::size_t r : e.points[i].runs) {
        if (in_run[r] == nullptr) continue;
        const auto counter = in_run[r]->counters.find(metric);
        if (counter == in_run[r]->counters.end()) continue;
        simulated = simulated || counter->second.provenance == Provenance::kSimulated;
        // Ranks without a recording are stood for by the others.
        const double ranks = static_cast<double>(e.runs[r].times.main_s.per_rank.size());
        values.push_back(counter->second.total() * e.runs[r].config.procs / ranks);
        samples += counter->second.independent_samples();
        m.provenance = counter->second.provenance;
      }
      // Simulated counts are the same in every repetition: one is as good as all. Measured ones
      // are not, and a mean of those runs that happened to have them would stand beside times of
      // all.
      const std::size_t enough = simulated ? 1 : e.points[i].runs.size();
      if (values.empty() || values.size() < enough) break;  // not at every point: no law
      samples /= static_cast<double>(values.size());
      m.points.push_back(fit_point(e.points[i].procs, work[i],
                                   measured(values, samples > 0 ? 1 / std::sqrt(samples) : 1)));
    }
    if (m.points.size() != e.points.size()) continue;
    m.law = fit_count(m.points, catalog, CountKind::kReal);
    models.push_back(std::move(m));
  }
  return models;
}

std::vector<CountFamily> families_of(const std::vector<MetricModel>& metrics) {
  std::vector<CountFamily> families;
  for (const MetricModel& m : metrics) {
    if (m.metric != kInstructions) continue;
    for (const Hypothesis& h : m.law.hypotheses) {
      if (h.terms.empty() || h.rel_residual > kWorstLaw || families.size() == kMostFamilies)
        continue;
      CountFamily family;
      family.name = kInstructions;
      family.prior = h.weight;
      Feature instructions;
      instructions.name = "CPI / f";
      instructions.unit = "s/instruction";
      instructions.of = kInstructions;
      instructions.counts = {h};
      family.features = {instructions};
      families.push_back(std::move(family));
    }
  }
  return families;
}

}  // namespace apmt
