#include "fitter/computation/cache_check.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/words.h"
#include "fitter/computation/memory_evidence.h"
#include "fitter/laws/law_ahead.h"

namespace apmt {
namespace {

constexpr double kMostMisses = 1e-4;  // largest E that passes

bool leaves_what_was_profiled(const Model& model, double x) {
  double least = INFINITY;
  double most = 0;
  for (const ModelPoint& p : model.points) {
    least = std::min(least, p.work / p.procs);
    most = std::max(most, p.work / p.procs);
  }
  return x < least * (1 - 1e-9) || x > most * (1 + 1e-9);
}

/// Whether simulations with larger caches show how often the kernel accesses memory with so little
/// work per process.
bool is_foreseen(const KernelModel& kernel, double x) {
  const MetricModel* memory = metric_named(kernel.metrics, "acc_mm");
  if (memory == nullptr || memory->ahead.empty()) return false;
  return x >= least_work_per_process(memory->ahead) * (1 - 1e-9) &&
         x <= least_work_per_process(memory->points) * (1 + 1e-9);
}

/// E of one kernel at the profiled points. None if accesses to the first level or to memory were
/// not counted.
std::vector<double> misses_of(const KernelModel& kernel) {
  const MetricModel* memory = metric_named(kernel.metrics, "acc_mm");
  const MetricModel* first = metric_named(kernel.metrics, "hit_L1");
  if (first == nullptr)  // callgrind counts L1 and L2 together
    first = metric_named(kernel.metrics, "hit_core");
  std::vector<double> misses;
  if (memory == nullptr || first == nullptr) return misses;
  for (std::size_t i = 0; i < memory->points.size() && i < first->points.size(); ++i) {
    double accesses = memory->points[i].value + first->points[i].value;
    // A cache level whose hits were not counted is assumed to serve a small part of all accesses.
    for (const char* level : {"hit_L2", "hit_LLC"})
      if (const MetricModel* m = metric_named(kernel.metrics, level);
          m != nullptr && i < m->points.size())
        accesses += m->points[i].value;
    if (accesses > 0) misses.push_back(memory->points[i].value / accesses);
  }
  return misses;
}

/// Kernels that get one warning together; it names only the first few.
struct Group {
  static constexpr int kMostNames = 3;
  int kernels = 0;
  std::string names;
  double lowest = INFINITY;  // E
  double highest = 0;
  void add(const std::string& kernel, double low, double high) {
    if (kernels++ < kMostNames)
      names += (names.empty() ? "'" : ", '") + kernel + "'";
    else if (kernels == kMostNames + 1)
      names += " and others";
    lowest = std::min(lowest, low);
    highest = std::max(highest, high);
  }
};

}  // namespace

bool can_look_ahead(const Model& model, double procs, double work) {
  std::set<int> counts;
  for (const ModelPoint& p : model.points)
    if (std::abs(p.work - work) <= 1e-9 * work) counts.insert(p.procs);
  return !model.is_virtual && counts.size() > 1 && procs > *counts.rbegin() &&
         std::ranges::any_of(model.kernels, [&](const KernelModel& kernel) {
           const MetricModel* memory = metric_named(kernel.metrics, "acc_mm");
           return memory != nullptr && memory->provenance == Provenance::kSimulated &&
                  !is_foreseen(kernel, work / procs);
         });
}

std::vector<std::string> cache_warnings(const Model& model, double procs, double work) {
  if (!leaves_what_was_profiled(model, work / procs)) return {};
  Group crossing;
  Group in_memory;
  for (const KernelModel& kernel : model.kernels) {
    const std::vector<double> misses = misses_of(kernel);
    if (misses.empty() || is_foreseen(kernel, work / procs)) continue;
    const auto [low, high] = std::ranges::minmax(misses);
    if (high > kMostMisses) (low <= kMostMisses ? crossing : in_memory).add(kernel.name, low, high);
  }
  std::vector<std::string> warnings;
  if (crossing.kernels > 0)
    warnings.push_back("regime change: " + crossing.names +
                       " accessed main memory in some of the runs and found its data in the "
                       "caches in others (misses: " +
                       formatted("%.1e", crossing.lowest) + " to " +
                       formatted("%.1e", crossing.highest) +
                       " of the accesses); a smooth extrapolation may be wrong");
  if (in_memory.kernels > 0)
    warnings.push_back(
        "with this amount of work per process the data of " + in_memory.names +
        " may start or cease to fit into the caches: up to " +
        formatted("%.1e", in_memory.highest) +
        " of its accesses went to main memory; only if this is at most 0.01 % (1e-4) do "
        "small runs represent large ones" +
        (can_look_ahead(model, procs, work)
             ? "; apmt simulate --ahead " + std::to_string(int(procs)) + " shows how often it will"
             : std::string()));
  return warnings;
}

}  // namespace apmt
