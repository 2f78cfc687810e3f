// Finds the parts of an Analysis that several analysers fill in.
#pragma once

#include "kernels/analysers/invocations.h"
#include "kernels/analysis.h"
#include "kernels/program.h"

namespace apmt::kernels {

/// Returns the entry of a kernel (`function`) or of a loop, and adds it if there is none.
KernelAnalysis& entry_of(Analysis* analysis, const Program& program, std::uint32_t function,
                         const Invocations& invocations);
LoopFacts& loop_of(KernelAnalysis* kernel, const Program& program, std::uint32_t loop);

}  // namespace apmt::kernels
