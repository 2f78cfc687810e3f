// Does the loop reach its target sooner for memory-bound programs if it can set core frequencies?
#pragma once

namespace apmt {

/// Prints one row of a table with and one without frequencies.
void bench_frequency_step(int cases);

}  // namespace apmt
