// A Kiviat picture of a kernel as in the paper on AIWC: its metrics in four groups, each divided by
// the largest in a reference set of kernels.
#pragma once

#include <optional>

#include "kernels/analysis.h"
#include "reports/report.h"

namespace apmt {

/// The Kiviat chart of a kernel. On each axis it shows the metric, divided by the largest value in
/// the reference set. Absent if the kernel has no complete AIWC metrics, or if the reference set
/// has no kernel whose metrics have the same definitions. Metrics of parallelism, except the
/// imbalance, are inverted, as in the paper, so that values close to the centre suit a wide device.
/// The axes of metrics that span orders of magnitude are logarithmic: ln(1 + metric) / ln(1 +
/// largest).
std::optional<KiviatChart> kiviat_chart(const kernels::KernelAnalysis& kernel,
                                        const kernels::Analysis& reference);

}  // namespace apmt
