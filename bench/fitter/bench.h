// The tables of the fitter's bench; each prints Markdown to standard output.
#pragma once

namespace apmt::bench {

/// Planted programs: errors beside an oracle's, coverage and interval score, by factor.
void accuracy(int experiments, unsigned long seed);

/// How long a fit of many kernels and a prediction take.
void speed();

}  // namespace apmt::bench
