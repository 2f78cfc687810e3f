// Measures whether the refinement loop reaches its target sooner for memory-bound programs if core
// frequencies can be set.
#pragma once

namespace apmt {

/// Prints a table with one row for machines where frequencies can be set and one for the others.
void bench_frequency_step(int cases);

}  // namespace apmt
