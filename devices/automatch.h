// The Execution Cost model of AutoMatch, a tool that matches compute kernels to the devices of
// heterogeneous HPC machines: equations (1) to (5) of its paper. In (4), the number of transfers
// from fast memory (Q_f) is multiplied by the size of an access, and the number of transfers from
// slow memory (Q_s) is multiplied by the size of a line; the paper writes L for both sizes.
#pragma once

#include <optional>

#include "devices/card.h"
#include "devices/prediction.h"
#include "devices/workload.h"

namespace apmt::devices::automatch {

/// Equation (1); nullopt if there are neither additions nor multiplications (0 / 0).
std::optional<double> instruction_mix_factor(double additions, double multiplications);

/// Equation (2); nullopt unless both are above 0.
std::optional<double> vectorisation_factor(double vector_flops, double flops);

struct Core {
  double units = 1;  // n_p
  double rate = 0;   // pi_0, operations per second of one unit
};

/// Equation (3). `schedule` gives the number D of levels and the width w_i of each level, which is
/// its number of operations.
double computation_s(const Schedule& schedule, const Core& core, double f_v, double f_im);

struct MemoryModel {
  double fast_latency_s = 0, slow_latency_s = 0;
  double fast_bytes_per_s = 0, slow_bytes_per_s = 0;
};

/// The result of equation (4), separately for the fast and the slow memory.
struct MemorySeconds {
  double fast_s = 0, slow_s = 0;
};
MemorySeconds memory_s(double depth, double fast_transfers, double access_bytes,
                       double slow_transfers, double line_bytes, const MemoryModel& memory);

/// Equation (5).
double synchronisation_s(double synchronisations, double cost_s);

/// Evaluates all equations. The result has no time if an equation is not defined for the kernel, or
/// if the card or the analysis lacks a figure.
DevicePrediction predict(const Workload& workload, const Device& device);

}  // namespace apmt::devices::automatch
