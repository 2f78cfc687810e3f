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
  if (kernel.refined && kernel.refined->frequency_hz > 0) {
    const double core_s = kernel.refined->cpi_core / kernel.refined->frequency_hz;
    const double blocked_s = kernel.refined->blocked_s;
    if (core_s + blocked_s > 0) return std::clamp(blocked_s / (core_s + blocked_s), 0.0, 1.0);
  }
  const std::optional<double> stalled = count_at(kernel, "stall", procs, work);
  const std::optional<double> cycles = count_at(kernel, "cycles", procs, work);
  if (!stalled || !cycles || *cycles <= 0) return std::nullopt;
  return std::clamp(*stalled / *cycles, 0.0, 1.0);
}

}  // namespace apmt
