// How much of a kernel's time memory blocks, computed from counters and times.
#pragma once

#include <optional>
#include <vector>

#include "fitter/memory_costs.h"
#include "fitter/memory_split.h"
#include "fitter/model.h"

namespace apmt {

/// The evidence for one kernel. `times` and the points of every metric are in the order of the
/// experiment's points; `busy_cores`: of a node, at each point.
struct MemoryEvidence {
  const std::vector<FitPoint>& times;
  const std::vector<MetricModel>& metrics;
  const std::vector<int>& busy_cores;
  std::optional<double> frequency_hz;  // as measured
};

/// Uses counted stalls if there are any: an upper bound, since they include stalls at the levels
/// that run with the core's clock. Otherwise uses instructions and accesses: a posterior over
/// CPI_core and the blocking factor (or the bandwidth's share), in which the level of the times,
/// their scatter and all costs are summed over fixed grids. Costs that are missing in `costs` are
/// assumed, with a wider prior. Absent if accesses were not counted at every point or follow no
/// law.
std::optional<MemorySplit> fit_memory_split(const MemoryEvidence& evidence,
                                            const MemoryCosts& costs);

/// Seconds of all accesses of a kernel beyond the core's clock if none overlapped, over all ranks,
/// as a law; absent if they were not counted or follow no law.
std::optional<Hypothesis> unhidden_seconds(const std::vector<MetricModel>& metrics,
                                           const MemoryCosts& costs);

}  // namespace apmt
