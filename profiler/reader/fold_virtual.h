// For a run on a simulated cluster: combines simulated times with samples of real CPU time.
#pragma once

#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"

namespace apmt {

/// Whether the ranks ran under a simulator.
bool is_virtual(const std::vector<RawRecording>& ranks);

/// Converts the times of a run on a simulated cluster. There, the length of the run and the time
/// between MPI calls are simulated (CPU time scaled by the speed of the simulated hosts), but
/// samples are taken in real CPU time. This function replaces the CPU time of each rank by the
/// rank's simulated time outside MPI. Then it multiplies the times of all kernels by one factor, so
/// that they add up to the simulated times outside MPI of all ranks. Kernel times stay unknown if
/// the program's own instructions take no simulated time, or if there are no samples.
void close_virtual_times(RunProfile* profile);

/// Stores the CPU time of threads that the ranks created, and adds a note if there were any. A
/// simulator that runs all ranks on one thread simulates nothing of other threads.
void note_created_threads(const std::vector<RawRecording>& ranks, Health* health);

}  // namespace apmt
