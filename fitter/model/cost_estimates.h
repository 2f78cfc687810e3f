// Estimates of the costs of a program: of core and memory in each kernel, and of the machine's
// memory. cost_mode.h makes them.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "base/checked_json.h"

namespace apmt {

/// The value of one cost in the most probable combination of all costs of the program, which is the
/// mode of their joint distribution (cost_mode.h).
struct CostEstimate {
  double value = 0;
  std::optional<double> ln_sd;  // standard deviation of ln value; absent: not determined
};

/// How a kernel's time depends on its accesses to memory. c: the core's cost * computation;
/// unhidden_s and transfers_s: see memory_evidence.h.
enum class MemoryForm {
  kWaits,    // c + memory * unhidden_s: the core waits for accesses
  kLate,     // c + memory * transfers_s: it waits for prefetched data that arrive late
  kStreams,  // max(c, memory * transfers_s): the bandwidth limits the time
};
inline constexpr std::array<MemoryForm, 3> kMemoryForms = {MemoryForm::kWaits, MemoryForm::kLate,
                                                           MemoryForm::kStreams};
std::string to_string(MemoryForm form);  // "waits", "late", "streams"

/// The costs of core and memory in one kernel.
struct KernelCostEstimates {
  MemoryForm form = MemoryForm::kWaits;  // the likeliest
  double form_probability = 0;
  CostEstimate core_s;  // per instruction, or per floating-point operation
  /// By `form`: the blocking factor of accesses, the share of transfers for which the core waits,
  /// or the kernel's own factor on transfers. The shared factor on latency (kWaits) or on transfers
  /// (the other forms) multiplies it (SharedCostEstimates).
  CostEstimate memory;
};

/// The costs of the machine's memory, relative to those of its profile (or to assumed ones).
struct SharedCostEstimates {
  CostEstimate latency;
  CostEstimate transfer;  // factor on the seconds per byte
};

Json to_json(const KernelCostEstimates& costs);
KernelCostEstimates kernel_cost_estimates_from(const JsonAt& json);
Json to_json(const SharedCostEstimates& costs);
SharedCostEstimates shared_cost_estimates_from(const JsonAt& json);

}  // namespace apmt
