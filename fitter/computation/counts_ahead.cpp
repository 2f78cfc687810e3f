#include "fitter/computation/counts_ahead.h"

#include <algorithm>
#include <cmath>

#include "fitter/laws/law_ahead.h"
#include "fitter/runs/run_parts.h"

namespace apmt {
namespace {

constexpr double kAgree =
    1.5;  // largest ratio of a count to its measured value that is no objection

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

const MetricModel* instructions_of(const std::vector<MetricModel>& metrics) {
  for (const MetricModel& m : metrics)
    if (m.metric == "instructions" && !m.law.hypotheses.empty()) return &m;
  return nullptr;
}

double largest_of(const std::vector<FitPoint>& points) {
  double largest = 0;
  for (const FitPoint& p : points) largest = std::max(largest, p.value);
  return largest;
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
                    std::vector<MetricModel>* metrics) {
  const MetricModel* instructions = instructions_of(*metrics);
  const auto growth = [&](const FitPoint& from, double procs) {
    if (instructions == nullptr) return 1.0;
    const double before = instructions->law.value(from.procs, from.work);
    return before > 0 ? instructions->law.value(procs, from.work) / before : 1.0;
  };
  std::map<std::string, std::vector<FitPoint>> ahead;
  for (const MetricModel& m : *metrics) {
    if (m.provenance != Provenance::kSimulated) continue;
    const double largest = largest_of(m.points);
    for (const CountsWithLargerCaches& s : simulations) {
      const auto count = s.counts.find(m.metric);
      if (count == s.counts.end()) continue;
      const FitPoint& from = m.points[s.point];
      const double procs = s.factor * from.procs;
      FitPoint there{procs, from.work, count->second * growth(from, procs)};
      const auto same = std::find_if(m.points.begin(), m.points.end(), [&](const FitPoint& p) {
        return std::abs(p.procs - procs) < 0.5 && p.work == from.work;
      });
      if (same == m.points.end())
        ahead[m.metric].push_back(there);
      else if (!are_close(there.value, same->value, largest, kAgree))
        return false;
    }
  }
  for (MetricModel& m : *metrics) {
    const auto points = ahead.find(m.metric);
    if (points == ahead.end()) continue;
    m.ahead = points->second;
    m.law = continued(std::move(m.law), m.points, m.ahead);
  }
  return true;
}

}  // namespace apmt
