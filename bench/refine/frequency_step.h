// Memory-bound programs: does the loop reach its target sooner where it can set frequencies?
#pragma once

namespace apmt {

/// Prints one row of a table with and one without frequencies.
void bench_frequency_step(int cases);

}  // namespace apmt
