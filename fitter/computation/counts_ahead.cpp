#include "fitter/computation/counts_ahead.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "fitter/computation/memory_evidence.h"
#include "fitter/laws/law_ahead.h"
#include "fitter/runs/run_parts.h"

namespace apmt {
namespace {

constexpr double kAgree = 1.5;     // largest ratio of two times that agree
constexpr double kMatters = 0.01;  // of a kernel's time; accesses that take less hardly matter
constexpr std::array kAccesses = {"acc_mm", "acc_mm_demand", "hit_LLC"};

/// The counts of a kernel in one run whose caches were `factor` times as large, over the recorded
/// ranks.
std::map<std::string, double> counts_with(double factor,
                                          const std::vector<const KernelProfile*>& functions) {
  struct Sum {
    double count = 0;
    double counted_s = 0;
  };
  std::map<std::string, Sum> sums;
  double all_s = 0;
  for (const KernelProfile* k : functions) {
    const auto cpu = k->counters.find(kCpuMetric);
    const double seconds = cpu == k->counters.end() ? 0 : cpu->second.total();
    all_s += seconds;
    for (const LargerCaches& larger : k->larger_caches)
      for (const auto& [metric, count] : larger.counts) {
        if (larger.factor != factor) continue;
        sums[metric].count += count;
        sums[metric].counted_s += seconds;
      }
  }
  std::map<std::string, double> counts;
  for (const auto& [metric, sum] : sums)
    if (all_s - sum.counted_s <= kMostUncounted * all_s) counts[metric] = sum.count;
  return counts;
}

const MetricModel* simulated(const std::vector<MetricModel>& metrics, const std::string& name) {
  for (const MetricModel& m : metrics)
    if (m.metric == name && m.provenance == Provenance::kSimulated) return &m;
  return nullptr;
}

/// Whether the simulation has every simulated count of accesses that the measured run has.
bool has_all_counts(const CountsWithLargerCaches& s, const std::vector<MetricModel>& metrics) {
  return std::all_of(kAccesses.begin(), kAccesses.end(), [&](const char* metric) {
    return simulated(metrics, metric) == nullptr || s.counts.contains(metric);
  });
}

/// The time of all accesses if none overlapped; `count` gives the count of a metric, if it is
/// known.
template <typename Count>
double seconds_of(const MemoryCosts& costs, const Count& count) {
  const std::optional<double> waited_for = count("acc_mm_demand");
  return unhidden_s(waited_for.value_or(count("acc_mm").value_or(0)), count("hit_LLC").value_or(0),
                    costs);
}

}  // namespace

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
        std::map<std::string, double> counts = counts_with(factor, in_run);
        for (auto& [metric, count] : counts) count *= ranks;
        all.push_back({point, factor, std::move(counts)});
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
    const auto same = std::find_if(
        memory->points.begin(), memory->points.end(),
        [&](const FitPoint& p) { return std::abs(p.procs - procs) < 0.5 && p.work == from.work; });
    if (same == memory->points.end()) {
      for (const auto& [metric, count] : s.counts)
        ahead[metric].push_back({procs, from.work, count * growth});
      continue;
    }
    const auto point = static_cast<std::size_t>(same - memory->points.begin());
    const double foreseen_s = seconds_of(costs, [&](const char* metric) {
      const auto count = s.counts.find(metric);
      return count == s.counts.end() ? std::optional<double>() : count->second * growth;
    });
    const double counted_s = seconds_of(costs, [&](const char* metric) {
      const MetricModel* m = simulated(*metrics, metric);
      return m == nullptr ? std::optional<double>() : m->points[point].value;
    });
    const double least_s = kMatters * times[point].value * same->procs;
    const double ratio = std::max(foreseen_s, least_s) / std::max(counted_s, least_s);
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
