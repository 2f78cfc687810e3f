// Access to the simulation in which the ranks of this process run (only if ranks share a process).
// The simulated clock gives the times of communication and the length of the run.
#pragma once

#include "profiler/runtime/per_rank.h"

#ifdef APMT_RANKS_SHARE_A_PROCESS
namespace apmt::rt {

struct Simulation {
  double (*clock_s)();    // simulated seconds since the start
  const char* (*host)();  // name of the active rank's simulated host
};
extern Simulation g_simulation;

/// Stops the clock for good. Must be called when the simulation is over, because the simulator's
/// functions may not be called any more.
void stop_simulated_clock();

/// Writes the full path of the profiled program to `path`: not that of a rank's copy of it, or of
/// the simulator's launcher.
void find_program(char* path, size_t capacity);

/// Returns n if `object` is "<program>_<pid>_<n>.so", the copy of the program in which rank n runs;
/// -1 for all other objects. <program> is the name by which the program was started, which may be
/// that of a symbolic link. find_program() must have been called before.
int rank_of_copy(const char* object);

/// Stores the path of the library of which SMPI gives each rank a copy (smpi/privatize-libs). In
/// the name of a copy, the rank replaces the first seven letters: 0000003tran.so.5 is rank 3's copy
/// of libgfortran.so.5.
void note_copied_library(const char* path);
/// The full path of that library; empty: there is none.
const char* copied_library();
/// Returns n if `object` is rank n's copy of that library, otherwise -1.
int rank_of_library(const char* object);

}  // namespace apmt::rt
#endif
