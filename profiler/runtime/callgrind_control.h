// Controls callgrind when the program runs inside it to have its counters simulated: callgrind
// should count outside MPI, between MPI_Init and MPI_Finalize or in a window of that. Outside
// valgrind none of this does anything.
#pragma once

#include <stdint.h>

namespace apmt::rt {

/// Set once at the start of main; wrappers test only this.
extern uint32_t g_in_callgrind;

inline bool in_callgrind() { return __builtin_expect(g_in_callgrind != 0, 0); }

/// MPI is initialised. APMT_SIMULATE says what to count: "whole", or "MPI_Allreduce:10:13" for the
/// time from this rank's 10th such call to its 13th. Ranks that share a process are counted
/// together, the whole run, until the last of them leaves.
void begin_callgrind(int world_rank, int world_size);
/// This rank finalises MPI.
void leave_callgrind();

/// To be called when this thread enters and leaves MPI.
void callgrind_enters_mpi();
void callgrind_leaves_mpi(uint32_t op);

/// Makes callgrind write its counts. The rest of the program runs without simulation.
void end_callgrind();

}  // namespace apmt::rt
