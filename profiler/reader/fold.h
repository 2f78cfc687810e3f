// From the recordings of a run's ranks to one RunProfile.
#pragma once

#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"

namespace apmt {

/// Whether a process is left out of the run that the others make: one that they have started by
/// MPI_Comm_spawn is of a world of its own.
bool is_left_out(const RawRecording& raw, const std::vector<RawRecording>& all);

/// Merges the ranks of one run, in any order. Throws InputError when they do not belong together
/// (two recordings of one rank, different sizes of the world). Missing ranks are counted in the
/// health.
RunProfile fold(std::vector<RawRecording> ranks);

}  // namespace apmt
