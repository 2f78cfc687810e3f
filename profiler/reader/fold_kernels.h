// Attributes samples outside MPI to functions, which become the kernels of the profile.
#pragma once

#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"
#include "profiler/reader/symbols.h"

namespace apmt {

/// The function at a run-time address of one rank.
Function function_of(const RawRecording& raw, Symbols& symbols, std::uint64_t pc);

/// The source line at a run-time address of one rank, and the function that was inlined there.
Place place_of(const RawRecording& raw, Symbols& symbols, std::uint64_t pc);

/// The functions inlined at a run-time address of one rank, from the outermost to the innermost.
std::vector<std::string> inlined_at(const RawRecording& raw, Symbols& symbols, std::uint64_t pc);

/// Fills `kernels`, `times.sampled_cpu_s` and the frequencies, and adds notes to `health`. `ranks`
/// must be sorted by rank.
void fold_kernels(const std::vector<RawRecording>& ranks, Symbols& symbols, RunProfile* profile);

}  // namespace apmt
