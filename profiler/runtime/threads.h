// Registers the threads of the program: each has an entry in the recording, and is sampled while it
// lives.
#pragma once

#include <time.h>

#include "profiler/runtime/state.h"

namespace apmt::rt {

/// While an object of this class exists, samples of the calling thread count as the recorder's own
/// work, not as the program's, even if the recorder is in a function of the C library. Used when a
/// thread begins or ends, or an object is unloaded, outside MPI calls. Not async-signal-safe.
class OwnWork {
 public:
  OwnWork();
  ~OwnWork();
  OwnWork(const OwnWork&) = delete;
  OwnWork& operator=(const OwnWork&) = delete;

 private:
  ThreadState& self_;
  const uint64_t caller_pc_;
  const bool in_mpi_;  // true: in MPI, where samples count for the operation anyway
};

/// Registers the calling thread and starts sampling it, unless it is registered. Not
/// async-signal-safe.
void enter_thread();
/// Stops sampling the calling thread and stores its CPU time. Not async-signal-safe.
void leave_thread();

/// Finds the calling thread's entry if another thread has registered it. Needed at the first sample
/// of a thread that existed before the recording began. Async-signal-safe.
void find_entry();

/// Called once by begin(). Registers the calling thread and all other existing threads, chooses the
/// source of samples, and starts sampling the calling thread. Starts sampling the other threads,
/// too, if the source can do this.
void begin_threads();

/// Called when MPI_Init has returned: tries again to sample existing threads that could not be
/// sampled before, and notes how many are left out.
void begin_main_threads();

/// Writes the present CPU time of every living thread into its entry, and the counter values of the
/// calling thread. (The counter values of other threads are written by their handlers, now and
/// then.)
void note_thread_cpu();

/// Sets whether CPU time and samples of all threads belong to the main stage from now on.
void count_main_times(bool counts);
/// Adds the calling thread's CPU time and samples up to now to its MainTime. This function and the
/// next one are async-signal-safe.
void look_at_own_main_time();
/// Records the calling thread's CPU time and samples outside MPI [0] and inside MPI [1].
void note_split(const uint64_t (&used_ns)[2], const uint64_t (&samples)[2]);

/// The clock id of another thread's CPU clock.
clockid_t cpu_clock_of(pid_t tid);

/// True once a recording was created, also while it is paused. Async-signal-safe.
inline bool recording_exists() { return state().recording.header != nullptr; }
/// The program's present stage; requires recording_exists(). Async-signal-safe.
inline format::Stage stage() {
  return static_cast<format::Stage>(__atomic_load_n(
      reinterpret_cast<const uint32_t*>(&state().recording.header->stage), __ATOMIC_RELAXED));
}
/// Adds a remark for users to the recording: what was not possible, and why.
void note(const char* text);

}  // namespace apmt::rt
