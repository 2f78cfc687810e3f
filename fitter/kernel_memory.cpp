#include "fitter/kernel_memory.h"

#include <algorithm>

namespace apmt {
namespace {

const CountLaw* law_of_metric(const KernelModel& kernel, const char* metric) {
  for (const MetricModel& m : kernel.metrics)
    if (m.metric == metric && !m.law.hypotheses.empty()) return &m.law;
  return nullptr;
}

}  // namespace

MemoryShareLaw memory_share_law(const KernelModel& kernel) {
  MemoryShareLaw law;
  if (kernel.refined && kernel.refined->frequency_hz > 0) {
    const double core_s = kernel.refined->cpi_core / kernel.refined->frequency_hz;
    const double blocked_s = kernel.refined->blocked_s;
    if (core_s + blocked_s > 0)
      law.refined = std::clamp(blocked_s / (core_s + blocked_s), 0.0, 1.0);
  }
  law.stalled = law_of_metric(kernel, "stall");
  law.cycles = law_of_metric(kernel, "cycles");
  return law;
}

bool has_memory_share(const KernelModel& kernel) {
  const MemoryShareLaw law = memory_share_law(kernel);
  return law.refined || (law.stalled != nullptr && law.cycles != nullptr);
}

std::optional<double> memory_share(const KernelModel& kernel, double procs, double work) {
  const MemoryShareLaw law = memory_share_law(kernel);
  if (law.refined) return law.refined;
  if (law.stalled == nullptr || law.cycles == nullptr) return std::nullopt;
  const double cycles = law.cycles->value(procs, work);
  if (cycles <= 0) return std::nullopt;
  return std::clamp(law.stalled->value(procs, work) / cycles, 0.0, 1.0);
}

}  // namespace apmt
