// Memory-bound programs: does the loop come to its target sooner where it can set frequencies?
#pragma once

namespace apmt {

/// Prints one row of a table for each way.
void bench_frequency_step(int cases);

}  // namespace apmt
