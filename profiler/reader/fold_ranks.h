// Chooses the recordings that are ranks of a run.
#pragma once

#include <cstddef>
#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"

namespace apmt {

/// The number of processes that are not ranks of the run, by reason.
struct LeftOut {
  std::size_t unborn = 0;   // they ended before MPI_Init returned, so their rank is not known
  std::size_t spawned = 0;  // started by MPI_Comm_spawn, so they have their own MPI_COMM_WORLD
};

/// Removes processes that are not ranks and sorts the rest by rank. Throws InputError if none is
/// left, or if they belong to different runs.
LeftOut choose_ranks(std::vector<RawRecording>* ranks);

/// Whether this process is left out because MPI_Comm_spawn started it, so that it belongs to
/// another MPI_COMM_WORLD. `all` are the recordings of all processes.
bool is_left_out(const RawRecording& raw, const std::vector<RawRecording>& all);

}  // namespace apmt
