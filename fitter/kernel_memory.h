// Which part of a kernel's time is waiting for memory.
#pragma once

#include <optional>

#include "fitter/model.h"

namespace apmt {

/// As refined (apmt refine): of memory beyond the core's clock. Otherwise stalled cycles over
/// cycles at a process count and size, an upper bound: stalls at the levels that run with the
/// core's clock are in it. Within 0..1; absent where neither is known.
std::optional<double> memory_share(const KernelModel& kernel, double procs, double work);

/// What memory_share() goes by.
struct MemoryShareLaw {
  std::optional<double> refined;  // the share itself; the others are not asked then
  const CountLaw* stalled = nullptr;
  const CountLaw* cycles = nullptr;
};
MemoryShareLaw memory_share_law(const KernelModel& kernel);

bool has_memory_share(const KernelModel& kernel);

}  // namespace apmt
