// The recorder inside the profiled program: one recording per process, a word per thread that tells
// the sampler where the thread is, and the functions through which the MPI shim and the sampler
// report.
//
// Contract. Functions marked "async-signal-safe" may run in a signal handler and in MPI wrappers on
// any thread: they take no lock, allocate nothing, call nothing of stdio and keep errno. All others
// run in ordinary context, at start, in MPI_Init, MPI_Finalize, or at a thread's start and end. A
// failure turns the recording off and is noted; the program goes on as if it were not recorded.
#pragma once

#include <stdint.h>

#include "profiler/profile_format.h"
#include "profiler/runtime/activity.h"

namespace apmt::rt {

inline constexpr unsigned long long kNothingWritten = 0;

/// Per thread. The shim writes it, and the sampler's handler reads it on the same thread.
struct ThreadState {
  uint64_t caller_pc;                 // who called MPI, while `op` is not 0
  uint32_t op;                        // MPI operation this thread is in, 0 = none
  uint32_t depth;                     // wrappers entered and not left; above 1, MPI calls itself
  int32_t slot;                       // index of its Thread entry, -1 = not registered
  uintptr_t outermost_frame;          // of the wrapper at depth 1
  int64_t waited_ns;                  // total time inside Wait, Test and similar calls
  const unsigned long long* written;  // up to where the kernel has written samples of the thread
  uint64_t taken;                     // up to where we have taken them
  uint64_t outermost_return;          // its return address
  bool initialised_mpi;               // true on one thread, which has its own rows in the tables
};

extern constinit APMT_PER_THREAD PerRank<ThreadState> t_self;

/// This thread's state, or where all ranks share a thread, this rank's; async-signal-safe (the
/// thread-local needs no allocation).
inline ThreadState& self() { return t_self.here(); }

/// Attributes samples in the kernel's buffer to the thread's present place (in MPI or outside), so
/// it must be called before the place changes. Async-signal-safe.
void take_written_samples();
inline void settle_samples(const ThreadState& self) {
  if (__atomic_load_n(self.written, __ATOMIC_ACQUIRE) != self.taken) take_written_samples();
}

/// CLOCK_MONOTONIC; async-signal-safe.
int64_t now_ns();

/// CPU time of the calling thread, for calibration: other programs on a busy machine do not affect
/// it. Async-signal-safe.
int64_t thread_cpu_ns();

/// Creates the recording and starts sampling of the calling thread (idempotent). Called as soon as
/// it is known that the process is to be recorded: at the entry of MPI_Init, or at once if
/// APMT_TARGET names a serial program. False: recording stays off; the program is not affected.
bool begin();

/// The shim's table of operations, by number; number 0 means "outside MPI" and has no name.
void describe_ops(const format::Op* ops, uint32_t count);
/// MPI_Comm_spawn started this process.
void note_spawned();
/// The result of MPI_Get_library_version (its first line is kept).
void note_mpi_library(const char* version);

void mark_init_entered();
void mark_init_returned(int world_rank, int world_size);
void mark_finalize_entered();
void mark_finalize_returned();
/// MPI_Abort was called; the process may end at any moment.
void mark_abort();

/// One finished MPI call.
struct Call {
  uint64_t caller_pc;
  uint32_t op;
  uint32_t comm_size;
  format::PeerClass peer;
  uint64_t bytes_sent;
  uint64_t bytes_received;
  uint64_t size_bytes;  // bytes for the size class: usually the larger of both
  int64_t time_ns;
  int64_t blocked_ns;
};

/// async-signal-safe
void add_call(const Call& call);
/// A non-blocking operation that has ended. async-signal-safe
struct Ended {
  uint64_t caller_pc;  // who posted it
  uint32_t op;         // which operation posted it
  uint32_t comm_size;
  format::PeerClass peer;
  uint64_t bytes_sent;
  uint64_t bytes_received;
  int64_t flight_ns;
  int64_t blocked_ns;
};
void add_request(const Ended& ended);
/// One blocking call of a synchronising collective. All participating ranks have the same `key`.
/// async-signal-safe
void add_instance(uint64_t key, uint32_t op, uint32_t comm_size, uint64_t size_bytes,
                  int64_t time_ns);
/// One message to or from a world rank (messages of 0 bytes count); async-signal-safe.
void add_sent(int world_rank, uint64_t bytes);
void add_received(int world_rank, uint64_t bytes);

/// True if all ranks are known to run on this node, from the launcher's environment.
bool all_on_this_node();

/// For MPI_Pcontrol: after pause(), nothing is added to the recording until resume().
void pause();
void resume();

}  // namespace apmt::rt
