// Which recordings are the ranks of a run.
#pragma once

#include <cstddef>
#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"

namespace apmt {

/// Processes that are no ranks of the run, by why.
struct LeftOut {
  std::size_t unborn = 0;   // killed before MPI_Init returned: nothing of theirs can be told apart
  std::size_t spawned = 0;  // of MPI_Comm_spawn: a world of their own
};

/// Removes what is no rank and sorts the rest by rank. Throws InputError where none is left, or
/// where they are not of one run.
LeftOut choose_ranks(std::vector<RawRecording>* ranks);

/// Whether a process is left out of the run that the others make: one that they have started by
/// MPI_Comm_spawn is of a world of its own.
bool is_left_out(const RawRecording& raw, const std::vector<RawRecording>& all);

}  // namespace apmt
