// Which part of a kernel's time is waiting for memory.
#pragma once

#include <optional>

#include "fitter/model.h"

namespace apmt {

/// Stalled cycles over cycles at a process count and size, within 0..1; absent where either was not
/// counted. Stalls at the levels that run with the core's clock are in it: an upper bound.
std::optional<double> memory_share(const KernelModel& kernel, double procs, double work);

}  // namespace apmt
