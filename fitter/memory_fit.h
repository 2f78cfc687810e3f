// How much of a kernel's time memory blocks, from what was counted beside the time.
#pragma once

#include <optional>
#include <vector>

#include "fitter/memory_costs.h"
#include "fitter/memory_split.h"
#include "fitter/model.h"

namespace apmt {

/// Of one kernel. `times` and the points of every metric are those of the experiment, in one order;
/// `busy_cores`: of a node, there.
struct MemoryEvidence {
  const std::vector<FitPoint>& times;
  const std::vector<MetricModel>& metrics;
  const std::vector<int>& busy_cores;
  std::optional<double> frequency_hz;  // as measured
};

/// From counted stalls where there are any: an upper bound, since stalls at the levels that run
/// with the core's clock are among them. Otherwise from instructions and accesses: a posterior over
/// CPI_core and the blocking factor (or the bandwidth's share), in which the level of the times,
/// their scatter and all costs are summed over fixed grids. Costs that `costs` lacks are assumed,
/// with a wider prior. Absent where accesses were not counted at every point or follow no law.
std::optional<MemorySplit> fit_memory_split(const MemoryEvidence& evidence,
                                            const MemoryCosts& costs);

/// Seconds of all accesses of a kernel beyond the core's clock if none overlapped, over all ranks,
/// as a law; absent where they were not counted or follow no law.
std::optional<Hypothesis> unhidden_seconds(const std::vector<MetricModel>& metrics,
                                           const MemoryCosts& costs);

}  // namespace apmt
