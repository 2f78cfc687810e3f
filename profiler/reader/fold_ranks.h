// Which recordings are the ranks of a run.
#pragma once

#include <cstddef>
#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"

namespace apmt {

/// Processes that are not ranks of the run, by reason.
struct LeftOut {
  std::size_t unborn = 0;   // killed before MPI_Init returned: nothing of theirs can be told apart
  std::size_t spawned = 0;  // of MPI_Comm_spawn: a world of their own
};

/// Removes processes that are not ranks and sorts the rest by rank. Throws InputError if none is
/// left, or if they belong to different runs.
LeftOut choose_ranks(std::vector<RawRecording>* ranks);

/// Whether a process is left out of the run of the others: a process started by MPI_Comm_spawn is
/// in a world of its own.
bool is_left_out(const RawRecording& raw, const std::vector<RawRecording>& all);

}  // namespace apmt
