// What runs say about a kernel's accesses to memory: times of one process, with the counts that
// explain them.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "fitter/model/machine_costs.h"
#include "fitter/model/model.h"

namespace apmt {

/// A kernel's pace in a run at another core frequency (apmt refine --frequency).
struct PaceAtFrequency {
  double procs = 0;
  double work = 1;
  double slowdown = 1;           // frequency of the profiled runs / frequency of this run
  double s_per_instruction = 0;  // as in this run, so errors of the model's counts do not matter
  double rel_sigma = 0;
};

/// The counts and the time of one process at one point, or in a run at another frequency.
struct MemoryObservation {
  double ln_time = 0;
  double variance = 0;  // of ln_time, as repetitions and sampling show
  double core = 0;      // units of computation; at another frequency, times `slowdown`
  double unhidden_s = 0;
  double transfers_s = 0;
  bool is_repeated = false;
};
/// The observations with the same process count, problem size and layout.
using MemoryPlace = std::vector<MemoryObservation>;

/// All observations of a kernel, and the laws of its counts over all ranks.
struct MemoryEvidence {
  std::vector<MemoryPlace> places;   // first the model's points
  Hypothesis core;                   // instructions, or floating-point operations
  Hypothesis unhidden_s;             // of all accesses if none overlapped
  Hypothesis transfers_s;            // of their bytes at the bandwidth of the largest process count
  std::map<double, double> sharing;  // of this bandwidth at other process counts
  bool is_per_flop = false;
};

/// Absent if the kernel's accesses were not counted at every point, if its counts follow no law, or
/// if they are far too few for its time.
/// Costs missing in `costs` are assumed. `node_cores`: the cores of the only node of the runs; 0 if
/// there were several nodes, or if this is not known.
std::optional<MemoryEvidence> memory_evidence(const KernelModel& kernel,
                                              const std::vector<int>& busy_cores, int node_cores,
                                              const MemoryCosts& costs,
                                              const std::vector<PaceAtFrequency>& at_frequencies);

/// The kernel's metric with this name; nullptr if it has none.
const MetricModel* metric_named(const std::vector<MetricModel>& metrics, const std::string& name);
/// The same, but nullptr also if its counts follow no law.
const MetricModel* metric_with_law(const std::vector<MetricModel>& metrics,
                                   const std::string& name);

/// Adds the likeliest law, multiplied by `factor`, to *sum.
void add_scaled(const CountLaw& law, double factor, Hypothesis* sum);

/// The seconds that accesses would take if none overlapped: those to memory for which the core
/// waits, and hits in the last cache.
double unhidden_s(double waited_for, double last_cache_hits, const MemoryCosts& costs);

/// The seconds that all accesses of a kernel to memory beyond the core's clock (docs/glossary.md)
/// would take if none overlapped, summed over the ranks, as a law. Absent if accesses were not
/// counted or follow no law.
std::optional<Hypothesis> unhidden_seconds(const std::vector<MetricModel>& metrics,
                                           const MemoryCosts& costs);

}  // namespace apmt
