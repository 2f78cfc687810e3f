// Estimates the costs of core, memory and messages once the laws of a model are known.
#pragma once

#include <map>
#include <vector>

#include "fitter/computation/memory_evidence.h"
#include "fitter/model/fit_options.h"

namespace apmt {

/// Runs at other core frequencies, by kernel.
using PacesAtFrequencies = std::map<KernelId, std::vector<PaceAtFrequency>>;

/// Divides the time of each kernel into computation and memory time (TimeLaw::split). If the model
/// has apmt's own laws, the costs also give one of the laws of the time (MemorySplit::prior), and
/// with kWhole, the joint mode of the costs of memory and messages is found.
///
/// If accesses were counted, the division is computed from computation (instructions) and accesses.
/// The result is one posterior for all kernels together. Its unknowns are two factors on the
/// machine's latency and bandwidth and, for each kernel, CPI_core, the form of memory time
/// (MemoryForm), the cost of memory and the scatter of the times. Costs missing in `costs` are
/// assumed, with a wider prior.
///
/// If stalls were counted, they are used instead of accesses: the memory time is the stalled time.
/// This is an upper bound, because it includes stalls at the caches that run with the core's clock.
/// Runs at several frequencies do not have this defect; if the kernel was refined with them, stalls
/// are not used.
void fit_costs(const MemoryCosts& costs, const PacesAtFrequencies& at_frequencies, Model* model,
               FitDepth depth = FitDepth::kWhole);

}  // namespace apmt
