// The sections about analysed kernels in the report of a model: what `apmt analyze` says of each,
// with pictures of its metrics, its parallelism and its locality.
#pragma once

#include "kernels/analysis.h"
#include "reports/report.h"

namespace apmt {

/// Adds a section for each of the kernels with the most instructions; nothing if there is none.
/// `reference`: the kernels to whose largest metrics the Kiviat pictures refer. `machine`: its
/// caches are drawn in; nullptr: none.
void add_analysed_kernels(const kernels::Analysis& analysis, const kernels::Analysis& reference,
                          const MachineProfile* machine, Report* report);

}  // namespace apmt
