// Compares samples that come from a clock with the CPU clocks of the sampled threads, which are
// exact. The CPU clock of a thread gives the amount of time; its samples give the distribution of
// this time over functions.
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

/// The CPU time of one thread. Both members are 0 if the recording has no such times: if samples
/// come from counters, or if the format is older than version 3.2.
HeldTime held_time(const RawRecording& raw, std::size_t thread);

/// The factor that scales the sampled times of a rank's functions to the CPU time of its threads
/// outside MPI. This CPU time is known exactly in periods in which threads read their clocks
/// whenever they enter or leave MPI. In other periods, only the sum inside and outside MPI is
/// known, so the sum is compared with the samples inside and outside MPI. All threads of a rank
/// have the same factor, because they share the table of samples.
double cpu_time_factor(const RawRecording& raw);

/// Adds notes to `health` about uncertain CPU times: ranks whose functions are scaled by more than
/// 3 %, threads whose factor differs by more than that from the factor of their rank, threads that
/// were not sampled, and ranks with too few samples to distinguish their functions.
void note_cpu_times(const std::vector<RawRecording>& ranks, RunProfile* profile);

}  // namespace apmt
