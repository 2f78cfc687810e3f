// Every thread of the program has an entry in the recording and, while it lives, a running sampler.
#pragma once

#include <time.h>

#include "profiler/runtime/state.h"

namespace apmt::rt {

/// While the recorder works outside MPI calls, for the thread or object at hand: samples of that
/// are none of the program's functions, whatever functions of the system are called. Ordinary
/// context.
class OwnWork {
 public:
  OwnWork();
  ~OwnWork();
  OwnWork(const OwnWork&) = delete;
  OwnWork& operator=(const OwnWork&) = delete;

 private:
  ThreadState& self_;
  const uint64_t caller_pc_;
  const bool in_mpi_;  // where nothing is the program's anyway
};

/// Registers the calling thread and starts its sampler (idempotent). Ordinary context.
void enter_thread();
/// Stops the calling thread's sampler and notes its CPU time (idempotent). Ordinary context.
void leave_thread();

/// Finds the calling thread's entry when another thread has made it: one that was there before the
/// recording began, at its first sample. Async-signal-safe.
void find_entry();

/// Called once by begin(): the sampler chooses its source, the calling thread is entered, and so
/// are threads that are there already; those are sampled where the source can do it.
void begin_threads();

/// Called when MPI_Init has returned: threads that were there and could not be sampled then are
/// tried once more, and a note says how many are left out.
void begin_main_threads();

/// Writes the CPU time so far of every thread that lives into its entry, and of the calling one
/// what its counters say. The others' handlers look at theirs now and then.
void note_thread_cpu();

/// From now on CPU time and samples of all threads count as those of the program's main part, or no
/// longer.
void count_main_times(bool counts);
/// The calling thread's, so far. Async-signal-safe, as is the next.
void look_at_own_main_time();
/// What the calling thread has used outside MPI and inside, and samples had there.
void note_split(const uint64_t (&used_ns)[2], const uint64_t (&samples)[2]);

/// The kernel's name of another thread's CPU clock.
clockid_t cpu_clock_of(pid_t tid);

/// True once a recording was created, also while it is paused; async-signal-safe.
bool recording_exists();
/// Where the program is; async-signal-safe. Only while recording_exists().
format::Stage stage();
/// A remark for the reader of the recording: what was not possible, and why.
void note(const char* text);

}  // namespace apmt::rt
