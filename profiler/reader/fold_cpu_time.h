// Samples of a clock held against the CPU clocks of the threads that were sampled, which are exact.
// A thread's CPU clock says how much time there was; samples say in which functions it was.
#pragma once

#include <cstddef>
#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"

namespace apmt {

/// Of one thread, or of all that were sampled together, between MPI_Init and MPI_Finalize.
struct HeldTime {
  double cpu_s = 0;      // by the CPU clock
  double sampled_s = 0;  // by samples
};

/// 0 where the recording does not say: counters, and recordings before version 3.2.
HeldTime held_time(const RawRecording& raw, std::size_t thread);

/// What the times of a rank's functions are multiplied by, so that together they are the CPU time
/// that its threads have used outside MPI: where they read their clocks as they entered and left
/// it, exactly that; otherwise as inside MPI. The table of samples is that of all threads: each has
/// the same factor.
double cpu_time_factor(const RawRecording& raw);

/// Notes in `health` where samples are more than 3 % off: of ranks, whose functions are scaled, of
/// threads, for which the factor of their rank is wrong, of threads that were not sampled, and of
/// ranks that were found too seldom to know their functions apart.
void note_cpu_times(const std::vector<RawRecording>& ranks, RunProfile* profile);

}  // namespace apmt
