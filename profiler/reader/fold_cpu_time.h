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

/// The factor by which to multiply the sampled times of a rank's functions, so that they add up to
/// the CPU time of its threads outside MPI. This CPU time is known exactly in periods in which
/// threads read their clocks whenever they enter or leave MPI. In other periods, only the CPU time
/// inside and outside MPI together is known, so it is compared with all samples. All threads of a
/// rank have the same factor, because they share the table of samples.
double cpu_time_factor(const RawRecording& raw);

/// Adds notes to `health` about uncertain CPU times: ranks whose sampled time differs by more than
/// 3 %, and by more than 0.05 s, from the CPU time of their threads; threads whose sampled time
/// differs as much from their CPU time even after the rank's sampled time is scaled to its CPU
/// time; threads that were not sampled but used more than 0.05 s; and ranks with too few samples to
/// distinguish their functions.
void note_cpu_times(const std::vector<RawRecording>& ranks, RunProfile* profile);

}  // namespace apmt
