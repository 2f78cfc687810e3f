// Computes the times of each rank: start, main part, end.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"

namespace apmt {

/// The time in seconds; 0 if `ns` is negative.
double seconds(std::int64_t ns);

/// Fills in all members of `times` except those that come from samples and MPI calls.
void fold_times(const std::vector<RawRecording>& ranks, RunProfile* profile);

}  // namespace apmt
