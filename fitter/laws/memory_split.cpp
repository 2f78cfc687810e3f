#include "fitter/laws/memory_split.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/mean.h"

namespace apmt {
namespace {

/// Seconds per process.
struct Seconds {
  double core = 0;
  double waited = 0;       // waiting for accesses and late transfers
  double transferred = 0;  // what bandwidth alone requires

  double whole() const { return std::max(core + waited, transferred); }
  double ln_whole() const { return std::log(std::max(whole(), 1e-300)); }
  double share_of_memory() const { return whole() > 0 ? (whole() - core) / whole() : 0; }

  /// If memory and core both become slightly faster, the fraction of the saved time that is due to
  /// memory.
  double elasticity() const {
    if (whole() <= 0) return 0;
    return transferred > core + waited ? 1 : waited / whole();
  }
};

/// The counts of one process.
struct Counts {
  double core = 0;
  double unhidden_s = 0;
  double transfers_s = 0;
  double work = 0;

  Seconds times(const MemorySplit::Costs& costs) const {
    return work < costs.fits_below ? Seconds{costs.core_s * core} : in_memory(costs);
  }

  /// The times if data do not fit into caches.
  Seconds in_memory(const MemorySplit::Costs& costs) const {
    return {costs.core_s * core, costs.blocked * unhidden_s + costs.exposed * transfers_s,
            costs.streamed * transfers_s};
  }
};

Counts counts(const MemorySplit& s, double procs, double work) {
  const double sharing = s.sharing_at(procs);
  const double work_per_process = work / procs;
  if (s.only_work > 0) procs /= std::exchange(work, s.only_work) / s.only_work;
  return {s.core.value(procs, work) / procs, s.unhidden.value(procs, work) / procs,
          sharing * s.transfers.value(procs, work) / procs, work_per_process};
}

template <typename F>
std::vector<double> of_ways(const MemorySplit& s, F f) {
  std::vector<double> each;
  for (const MemorySplit::Costs& costs : s.ways) each.push_back(f(costs));
  return each;
}

}  // namespace

double MemorySplit::sharing_at(double procs) const {
  if (sharing.empty()) return 1;
  const auto above = sharing.lower_bound(procs);
  if (above == sharing.end()) return sharing.rbegin()->second;
  if (above == sharing.begin()) return above->second;
  const auto below = std::prev(above);
  return below->second + (above->second - below->second) * std::log(procs / below->first) /
                             std::log(above->first / below->first);
}

double MemorySplit::time_s(const Costs& costs, double procs, double work) const {
  return counts(*this, procs, work).times(costs).whole();
}

std::vector<double> MemorySplit::ln_ratios(double procs, double work, double other_procs,
                                           double other_work) const {
  const Counts at = counts(*this, procs, work);
  const Counts other = counts(*this, other_procs, other_work);
  return of_ways(*this, [&](const Costs& costs) {
    return at.in_memory(costs).ln_whole() - other.in_memory(costs).ln_whole();
  });
}

std::vector<double> MemorySplit::ln_cached(double procs, double work) const {
  const Counts at = counts(*this, procs, work);
  return of_ways(*this, [&](const Costs& costs) {
    return at.times(costs).ln_whole() - at.in_memory(costs).ln_whole();
  });
}

std::vector<double> MemorySplit::shares(double procs, double work) const {
  const Counts at = counts(*this, procs, work);
  return of_ways(*this, [&](const Costs& costs) { return at.times(costs).share_of_memory(); });
}

double MemorySplit::share_quantile(double q, double procs, double work) const {
  std::vector<double> sorted = shares(procs, work);
  if (sorted.empty()) return 0;
  std::ranges::sort(sorted);
  const auto count = static_cast<double>(sorted.size());
  const double at = std::clamp(q * count - 0.5, 0.0, count - 1);
  const auto i = static_cast<std::size_t>(at);
  const double rest = at - std::floor(at);
  return sorted[i] + (rest > 0 ? rest * (sorted[i + 1] - sorted[i]) : 0);
}

std::vector<double> MemorySplit::slowdowns(const Slowdown& by, double procs, double work) const {
  const Counts at = counts(*this, procs, work);
  return of_ways(*this, [&](const Costs& costs) {
    const double before = at.times(costs).whole();
    return before > 0 ? at.times(costs.slowed(by)).whole() / before : 1;
  });
}

std::vector<double> MemorySplit::memory_elasticities(double procs, double work) const {
  const Counts at = counts(*this, procs, work);
  return of_ways(*this, [&](const Costs& costs) { return at.times(costs).elasticity(); });
}

double MemorySplit::memory_bound(double procs, double work) const {
  std::vector<double> elasticities = memory_elasticities(procs, work);
  for (double& e : elasticities) e = e > 0.5 ? 1 : 0;
  return mean(elasticities);
}

}  // namespace apmt
