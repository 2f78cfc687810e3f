#include "fitter/kernel_memory.h"

#include <algorithm>

namespace apmt {
namespace {

std::optional<double> count_at(const KernelModel& kernel, const char* metric, double procs,
                               double work) {
  for (const MetricModel& m : kernel.metrics)
    if (m.metric == metric && !m.law.hypotheses.empty()) return m.law.value(procs, work);
  return std::nullopt;
}

}  // namespace

std::optional<double> memory_share(const KernelModel& kernel, double procs, double work) {
  const std::optional<double> stalled = count_at(kernel, "stall", procs, work);
  const std::optional<double> cycles = count_at(kernel, "cycles", procs, work);
  if (!stalled || !cycles || *cycles <= 0) return std::nullopt;
  return std::clamp(*stalled / *cycles, 0.0, 1.0);
}

}  // namespace apmt
