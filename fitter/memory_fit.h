// Calculates how much of a kernel's time is blocked by memory, from counters and times.
#pragma once

#include <optional>
#include <vector>

#include "fitter/memory_costs.h"
#include "fitter/memory_split.h"
#include "fitter/model.h"

namespace apmt {

/// What is known about one kernel. `times` and the points of every metric are in the order of the
/// experiment's points; `busy_cores` is the number of busy cores on the fullest node, at each
/// point.
struct MemoryEvidence {
  const std::vector<FitPoint>& times;
  const std::vector<MetricModel>& metrics;
  const std::vector<int>& busy_cores;
  std::optional<double> frequency_hz;  // measured frequency
};

/// Divides a kernel's time into computation and memory time. If stalls were counted, the memory
/// time is the stalled time. This is an upper bound, because it includes stalls at the caches that
/// run with the core's clock. Otherwise the division is computed from instructions and accesses: it
/// is a posterior over CPI_core and the blocking factor (or the share of bandwidth), which allows
/// for the unknown scatter of the times and the uncertainty of all costs. Costs missing in `costs`
/// are assumed, with a wider prior. Absent if accesses were not counted at every point or follow no
/// law.
std::optional<MemorySplit> fit_memory_split(const MemoryEvidence& evidence,
                                            const MemoryCosts& costs);

/// The seconds that all accesses of a kernel to memory beyond the core's clock (docs/glossary.md)
/// would take if none overlapped, summed over the ranks, as a law. Absent if accesses were not
/// counted or follow no law.
std::optional<Hypothesis> unhidden_seconds(const std::vector<MetricModel>& metrics,
                                           const MemoryCosts& costs);

}  // namespace apmt
