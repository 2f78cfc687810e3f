// The interface of the recorder inside the profiled program. It has the state of each thread, which
// tells the sampler where the thread is, and the functions that the MPI shim and the sampler call.
//
// Functions marked "async-signal-safe" may be called in signal handlers and in MPI wrappers on any
// thread: they take no lock, allocate nothing, do not use stdio and keep errno. All others must be
// called in ordinary context: at start, in MPI_Init, MPI_Finalize, or at a thread's start and end.
// If begin() fails, nothing is recorded; after other failures, only some data are missing. In both
// cases the reason is reported, and the program continues.
#pragma once

#include <stdint.h>

#include "profiler/profile_format.h"
#include "profiler/runtime/activity.h"

namespace apmt::rt {

inline constexpr unsigned long long kNothingWritten = 0;

/// The state of one thread. The shim writes it, and the sampler's handler reads it on the same
/// thread.
struct ThreadState {
  uint64_t caller_pc;                 // where MPI was called from, while `op` is not 0
  uint32_t op;                        // MPI operation that this thread is in, 0 = none
  uint32_t depth;                     // 1 while the program is in an MPI call, otherwise 0
  int32_t slot;                       // index of its entry in the table of threads, -1 = none
  uintptr_t outermost_frame;          // stack frame of the wrapper that the program called
  int64_t waited_ns;                  // total time inside Wait, Test and similar calls
  const unsigned long long* written;  // end of what the kernel has written into its sample buffer
  uint64_t taken;                     // end of what the recorder has read from that buffer
  uint64_t outermost_return;          // return address of the wrapper that the program called
  bool initialised_mpi;               // true: the thread initialised MPI; it has rows of its own
};

extern constinit APMT_PER_THREAD PerRank<ThreadState> t_self;

/// The state of the calling thread, or of the active rank if all ranks share a thread.
/// Async-signal-safe, because the first access to the thread-local variable allocates nothing.
inline ThreadState& self() { return t_self.here(); }

/// Takes the samples from the kernel's buffer, and attributes them to the MPI operation that the
/// thread is in, or to computation if it is in none. Must be called before the thread enters or
/// leaves an operation. Async-signal-safe.
void take_written_samples();
inline void settle_samples(const ThreadState& self) {
  if (__atomic_load_n(self.written, __ATOMIC_ACQUIRE) != self.taken) take_written_samples();
}

/// CLOCK_MONOTONIC; async-signal-safe.
int64_t now_ns();

/// CPU time of the calling thread. Also used to measure the cost of recording, because other
/// programs on a busy machine do not affect it. Async-signal-safe.
int64_t thread_cpu_ns();

/// Creates the recording and starts sampling the calling thread; further calls do nothing. To be
/// called as soon as it is known that the process is to be recorded: at the entry of MPI_Init, or
/// at program start if APMT_TARGET names this program. Returns false if the recording stays off.
bool begin();

/// Records the shim's table of operations, by number; number 0 means "outside MPI" and has no name.
void describe_ops(const format::Op* ops, uint32_t count);
/// Records that MPI_Comm_spawn started this process.
void note_spawned();
/// Records the first line of the result of MPI_Get_library_version.
void note_mpi_library(const char* version);

void mark_init_entered();
void mark_init_returned(int world_rank, int world_size);
void mark_finalize_entered();
void mark_finalize_returned();
/// To be called at the entry of MPI_Abort; afterwards the process may end at any moment.
void mark_abort();

/// One finished MPI call.
struct Call {
  uint64_t caller_pc;
  uint32_t op;
  uint32_t comm_size;
  format::PeerClass peer;
  uint64_t bytes_sent;
  uint64_t bytes_received;
  uint64_t size_bytes;  // decides the size class: usually the larger of bytes sent and received
  int64_t time_ns;
  int64_t blocked_ns;
};

/// Async-signal-safe.
void add_call(const Call& call);
/// A non-blocking operation that has completed.
struct Ended {
  uint64_t caller_pc;  // of the call that started it
  uint32_t op;         // the operation that started it
  uint32_t comm_size;
  format::PeerClass peer;
  uint64_t bytes_sent;
  uint64_t bytes_received;
  int64_t flight_ns;
  int64_t blocked_ns;
};
/// Async-signal-safe.
void add_request(const Ended& ended);
/// Adds one blocking call of a synchronising collective. All participating ranks must give the same
/// `key`. Async-signal-safe.
void add_instance(uint64_t key, uint32_t op, uint32_t comm_size, uint64_t size_bytes,
                  int64_t time_ns);
/// Adds one message to or from a world rank, even if it has 0 bytes. Async-signal-safe.
void add_sent(int world_rank, uint64_t bytes);
void add_received(int world_rank, uint64_t bytes);

/// For MPI_Pcontrol: between pause() and resume(), samples and MPI calls are not added to the
/// recording.
void pause();
void resume();

}  // namespace apmt::rt
