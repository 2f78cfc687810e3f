// A run on a simulated cluster: combines its simulated times with samples of real CPU time.
#pragma once

#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"

namespace apmt {

/// Whether the ranks ran under a simulator.
bool is_virtual(const std::vector<RawRecording>& ranks);

/// On a simulated cluster, the length of the run and the time between MPI calls are simulated: CPU
/// time scaled by the speed of the simulated hosts. Samples are of real CPU time. So a rank's CPU
/// time is replaced by its simulated time outside MPI, and one factor for the whole run makes the
/// kernels' times add up to it. Kernel times stay unknown if the program's own instructions take no
/// simulated time, or if there are no samples.
void close_virtual_times(RunProfile* profile);

}  // namespace apmt
