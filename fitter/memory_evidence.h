// What runs say about a kernel's accesses to memory: times of one process, with the counts that
// explain them.
#pragma once

#include <optional>
#include <vector>

#include "fitter/memory_costs.h"
#include "fitter/model.h"

namespace apmt {

/// A kernel's time in a run at another core frequency (apmt refine --frequency).
struct TimeAtFrequency {
  double procs = 0;
  double work = 1;
  double frequency_hz = 0;
  double time_s = 0;  // per rank
  double rel_sigma = 0;
};

/// The counts and the time of one process in one run, or in several runs of the same kind.
struct MemoryObservation {
  double ln_time = 0;
  double variance = 0;  // of ln_time, as repetitions and sampling show
  double core = 0;      // units of computation; more if the core is slower than in other runs
  double unhidden_s = 0;
  double transfers_s = 0;
  std::size_t place = 0;  // runs of the same process count and problem size have the same place
};

/// All observations of a kernel, sorted by place, and the laws of its counts over all ranks.
struct MemoryEvidence {
  std::vector<MemoryObservation> observations;
  Hypothesis core;         // instructions, or floating-point operations
  Hypothesis unhidden_s;   // of all accesses if none overlapped
  Hypothesis transfers_s;  // of their bytes at full bandwidth
  bool is_per_flop = false;
};

/// Absent if the kernel's accesses were not counted at every point, or if its counts follow no law.
/// `frequency_hz` is the core frequency of the profiled runs. Costs missing in `costs` are assumed.
std::optional<MemoryEvidence> memory_evidence(const KernelModel& kernel,
                                              const std::vector<int>& busy_cores,
                                              const MemoryCosts& costs, double frequency_hz,
                                              const std::vector<TimeAtFrequency>& at_frequencies);

/// The kernel's metric with this name; nullptr if it has none or its counts follow no law.
const MetricModel* metric_with_law(const std::vector<MetricModel>& metrics, const char* name);

/// Adds the likeliest law, multiplied by `factor`, to *sum.
void add_scaled(const CountLaw& law, double factor, Hypothesis* sum);

/// The seconds that all accesses of a kernel to memory beyond the core's clock (docs/glossary.md)
/// would take if none overlapped, summed over the ranks, as a law. Absent if accesses were not
/// counted or follow no law.
std::optional<Hypothesis> unhidden_seconds(const std::vector<MetricModel>& metrics,
                                           const MemoryCosts& costs);

}  // namespace apmt
