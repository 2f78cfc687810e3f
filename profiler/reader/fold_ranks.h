// Which recordings are the ranks of a run.
#pragma once

#include <cstddef>
#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"

namespace apmt {

/// Processes that are not ranks of the run, by the reason.
struct LeftOut {
  std::size_t unborn = 0;   // killed before MPI_Init returned, so their rank is not known
  std::size_t spawned = 0;  // started by MPI_Comm_spawn, in a world of their own
};

/// Removes processes that are not ranks and sorts the rest by rank. Throws InputError if none is
/// left, or if they belong to different runs.
LeftOut choose_ranks(std::vector<RawRecording>* ranks);

/// Whether this process is left out, given all others: a process started by MPI_Comm_spawn belongs
/// to another world.
bool is_left_out(const RawRecording& raw, const std::vector<RawRecording>& all);

}  // namespace apmt
