// Compares samples of a clock with the CPU clocks of the sampled threads, which are exact. A
// thread's CPU clock gives the amount of time; samples give its distribution over functions.
#pragma once

#include <cstddef>
#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"

namespace apmt {

/// CPU time of one thread, or of all sampled threads, between MPI_Init and MPI_Finalize.
struct HeldTime {
  double cpu_s = 0;      // by the CPU clock
  double sampled_s = 0;  // by samples
};

/// Both are 0 if the recording has none: with counters, and before version 3.2.
HeldTime held_time(const RawRecording& raw, std::size_t thread);

/// The factor for the times of a rank's functions, so that their sum is the CPU time that its
/// threads have used outside MPI. That time is exact where threads read their clocks at the entry
/// and exit of MPI. Elsewhere one factor holds inside and outside MPI. All threads share the table
/// of samples, so all have the same factor.
double cpu_time_factor(const RawRecording& raw);

/// Adds notes to `health` about differences of more than 3 % and other doubts: ranks whose
/// functions are scaled, threads whose own factor differs from that of their rank, threads that
/// were not sampled, and ranks with too few samples to distinguish their functions.
void note_cpu_times(const std::vector<RawRecording>& ranks, RunProfile* profile);

}  // namespace apmt
