// Controls callgrind, the valgrind tool that simulates counters, if the program runs inside it.
// These functions make callgrind count only outside MPI, either from MPI_Init to MPI_Finalize or
// only in a window of that time. Outside valgrind, these functions do nothing.
#pragma once

#include <stdint.h>

namespace apmt::rt {

/// Not 0 if callgrind is to count in this run, from MPI_Init until it has written its counts.
/// Wrappers test only this.
extern uint32_t g_in_callgrind;

inline bool in_callgrind() { return __builtin_expect(g_in_callgrind != 0, 0); }

/// Whether the program runs inside a tool of valgrind. False if the recorder was built without
/// valgrind's header.
bool in_valgrind();

/// To be called when MPI is initialised. APMT_SIMULATE says what to count: "whole" for the time
/// until MPI_Finalize, or "MPI_Allreduce:10:13" for the time from this rank's 10th call to
/// MPI_Allreduce to its 13th. If ranks share a process, only "whole" is possible: callgrind counts
/// all ranks together until the last one finalises; with a window, it counts nothing.
void begin_callgrind(int world_rank, int world_size);
/// To be called when this rank finalises MPI.
void leave_callgrind();

/// To be called when the calling thread enters and leaves MPI.
void callgrind_enters_mpi();
void callgrind_leaves_mpi(uint32_t op);

/// Makes callgrind write its counts. The rest of the program runs without simulation.
void end_callgrind();

}  // namespace apmt::rt
