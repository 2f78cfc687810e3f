// Every thread of the program has an entry in the recording and, while it lives, a running sampler.
#pragma once

#include <time.h>

#include "profiler/runtime/state.h"

namespace apmt::rt {

/// While it exists, the recorder does its own work outside MPI calls, for a thread or an object.
/// Samples are then not attributed to the program's functions, even inside system functions.
/// Ordinary context.
class OwnWork {
 public:
  OwnWork();
  ~OwnWork();
  OwnWork(const OwnWork&) = delete;
  OwnWork& operator=(const OwnWork&) = delete;

 private:
  ThreadState& self_;
  const uint64_t caller_pc_;
  const bool in_mpi_;  // then samples go to MPI anyway
};

/// Registers the calling thread and starts its sampler (idempotent). Ordinary context.
void enter_thread();
/// Stops the calling thread's sampler and stores its CPU time (idempotent). Ordinary context.
void leave_thread();

/// Finds the calling thread's entry if another thread has made it. Needed at the first sample of a
/// thread that existed before the recording. Async-signal-safe.
void find_entry();

/// Called once by begin(): chooses the sampler's source and registers the calling thread and all
/// other existing threads; these are sampled if the source can do it.
void begin_threads();

/// Called when MPI_Init has returned: tries again to sample existing threads that could not be
/// sampled before, and notes how many are left out.
void begin_main_threads();

/// Writes the present CPU time of every living thread into its entry, and the counter values of the
/// calling thread. The handlers of other threads read theirs now and then.
void note_thread_cpu();

/// From now on CPU time and samples of all threads belong to the program's main part (true), or no
/// longer (false).
void count_main_times(bool counts);
/// Adds the calling thread's time up to now. Async-signal-safe, as is the next.
void look_at_own_main_time();
/// Records the calling thread's CPU time outside MPI [0] and inside [1], and the samples there.
void note_split(const uint64_t (&used_ns)[2], const uint64_t (&samples)[2]);

/// The kernel's name of another thread's CPU clock.
clockid_t cpu_clock_of(pid_t tid);

/// True once a recording was created, also while it is paused; async-signal-safe.
bool recording_exists();
/// The present stage; async-signal-safe. Only while recording_exists().
format::Stage stage();
/// Adds a remark for users to the recording: what was not possible, and why.
void note(const char* text);

}  // namespace apmt::rt
