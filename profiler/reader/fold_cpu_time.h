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
/// outside MPI. This CPU time is exact for periods in which threads read their clocks whenever they
/// enter or leave MPI. For other periods, clocks and samples are compared inside and outside MPI
/// together. All threads share the table of samples, so there is one factor for all.
double cpu_time_factor(const RawRecording& raw);

/// Adds notes to `health` about differences of more than 3 % and other uncertainties: ranks whose
/// functions are scaled, threads whose factor differs from that of their rank, threads that were
/// not sampled, and ranks with too few samples to distinguish their functions.
void note_cpu_times(const std::vector<RawRecording>& ranks, RunProfile* profile);

}  // namespace apmt
