// When the program runs inside valgrind's callgrind to have its counters simulated, callgrind is
// told what to count: what the program does outside MPI, between MPI_Init and MPI_Finalize or in
// a window of that. Outside valgrind none of this does anything.
#pragma once

#include <stdint.h>

namespace apmt::rt {

/// Set once at the start of main; the only thing that a wrapper looks at.
extern uint32_t g_in_callgrind;

inline bool in_callgrind() { return __builtin_expect(g_in_callgrind != 0, 0); }

/// MPI is initialised. APMT_SIMULATE says what to count: "whole", or "MPI_Allreduce:10:13" for the
/// time from this rank's 10th such call to its 13th.
void begin_callgrind(int world_rank, int world_size);

/// MPI is entered and left by this thread.
void callgrind_enters_mpi();
void callgrind_leaves_mpi(uint32_t op);

/// Has callgrind write what it counted. Whatever comes later runs without simulation.
void end_callgrind();

}  // namespace apmt::rt
