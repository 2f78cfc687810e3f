// The sections about analysed kernels in the report of a model: what `apmt analyze` says of each,
// with pictures of its metrics, its parallelism and its locality.
#pragma once

#include "kernels/analysis.h"
#include "reports/report.h"

namespace apmt {

/// Adds a section for each of the kernels with the most instructions; nothing if there is none.
/// `reference` has the kernels whose largest metrics are the scale of the Kiviat pictures.
/// `machine` is the machine whose caches are drawn; nullptr: none.
void add_analysed_kernels(const kernels::Analysis& analysis, const kernels::Analysis& reference,
                          const MachineProfile* machine, Report* report);

}  // namespace apmt
