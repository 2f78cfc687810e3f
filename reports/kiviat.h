// A Kiviat picture of a kernel as in the paper on AIWC: its metrics in four groups, each divided by
// the largest in a reference set of kernels.
#pragma once

#include <optional>

#include "kernels/analysis.h"
#include "reports/report.h"

namespace apmt {

/// Absent if the kernel has no complete AIWC metrics, or if the reference set has no kernel whose
/// metrics have the same definitions. Metrics of parallelism are inverted, as in the paper, so that
/// values close to the centre suit a wide device. For metrics that span orders of magnitude, the
/// logarithms are divided: ln(1 + metric) / ln(1 + largest).
std::optional<KiviatChart> kiviat_chart(const kernels::KernelAnalysis& kernel,
                                        const kernels::Analysis& reference);

}  // namespace apmt
