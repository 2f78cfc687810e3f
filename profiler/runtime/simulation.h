// The simulation in which the ranks of this process run. Its clock gives the times of communication
// and the length of the run. Only where ranks share a process.
#pragma once

#include "profiler/runtime/per_rank.h"

#ifdef APMT_RANKS_SHARE_A_PROCESS
namespace apmt::rt {

struct Simulation {
  double (*clock_s)();    // simulated seconds since the start
  const char* (*host)();  // name of the active rank's simulated host
};
extern Simulation g_simulation;

/// Stops the clock for good. To be called when the simulation is over, because its functions may
/// not be called any more.
void stop_simulated_clock();

/// Full path of the program that the ranks have copies of (not of the simulator).
void find_program(char* path, size_t capacity);

/// n for "<program>_<pid>_<n>.so", the copy of the program in which rank n runs; -1 for all other
/// objects.
int rank_of_copy(const char* object, const char* program);

/// The library of which SMPI gives each rank a copy (smpi/privatize-libs). Its first seven letters
/// are replaced by the rank: 0000003tran.so.5 is rank 3's libgfortran.so.5.
void note_copied_library(const char* path);
/// Its full path; empty: there is none.
const char* copied_library();
/// n if this object is rank n's copy of that library, otherwise -1.
int rank_of_library(const char* object);

}  // namespace apmt::rt
#endif
