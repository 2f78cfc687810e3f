#include "profiler/reader/fold_ranks.h"

#include <algorithm>

#include "base/input_error.h"
#include "base/words.h"
#include "profiler/reader/fold_details.h"
#include "profiler/reader/fold_virtual.h"

namespace apmt {
namespace {

/// The error if one launch started several processes, but each of them is the only rank of its own
/// MPI_COMM_WORLD: the program then uses another MPI than the launcher.
InputError launched_by_another_mpi(const std::vector<RawRecording>& ranks) {
  const std::string mpi = ranks.front().first("mpi_library");
  const std::string name = mpi.starts_with("Open MPI") ? "Open MPI" : mpi.substr(0, mpi.find(' '));
  return InputError(
      ranks.front().file,
      std::to_string(ranks.size()) +
          " processes were each the only rank of their own MPI_COMM_WORLD: the launcher does not "
          "belong to the program's MPI" +
          (mpi.empty() ? "" : " (" + name + ")"),
      "start the program with the mpirun or mpiexec of the MPI that it was built with");
}

void check_belong_together(const std::vector<RawRecording>& ranks) {
  const RawRecording& a = ranks.front();
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const RawRecording& b = ranks[i];
    if (b.header.world_size != a.header.world_size)
      throw InputError(b.file,
                       "recorded with " + counted(b.header.world_size, "rank") + ", but " + a.file +
                           " with " + std::to_string(a.header.world_size),
                       "they are different runs: keep them in different folders");
    if (i > 0 && b.header.world_rank == ranks[i - 1].header.world_rank) {
      if (b.header.world_size == 1 && a.header.world_rank == 0)
        throw launched_by_another_mpi(ranks);
      throw InputError(b.file, "a second recording of rank " + std::to_string(b.header.world_rank),
                       "the folder holds two runs: keep them in different folders");
    }
    // Compares times only on the same host, because clocks of different hosts cannot be compared.
    if (!is_virtual(ranks) && b.first("host") == a.first("host") &&
        (b.header.start_ns > last_ns(a.header) || a.header.start_ns > last_ns(b.header)))
      throw InputError(b.file, "was not recorded at the same time as " + a.file,
                       "the folder holds two runs: keep them in different folders");
  }
}

std::size_t leave_out_unborn(std::vector<RawRecording>* ranks) {
  const std::string file = ranks->front().file;
  const std::size_t unborn =
      std::erase_if(*ranks, [](const RawRecording& raw) { return raw.header.world_rank < 0; });
  if (ranks->empty())
    throw InputError(file,
                     "MPI_Init did not return in this process: the process ended in it, or is "
                     "still there",
                     "if the program has ended, its output may state the reason",
                     ExitCode::kNotEnoughData);
  return unborn;
}

bool is_spawned(const RawRecording& raw) { return !raw.first("spawned").empty(); }

/// Whether MPI_Comm_spawn started all processes; then they are the ranks of the run. A process in
/// which MPI_Init has not returned counts as spawned, because it may not be known yet whether it
/// was spawned.
bool are_all_spawned(const std::vector<RawRecording>& ranks) {
  return std::all_of(ranks.begin(), ranks.end(), [](const RawRecording& raw) {
    return raw.header.world_rank < 0 || is_spawned(raw);
  });
}

std::size_t leave_out_spawned(std::vector<RawRecording>* ranks) {
  return are_all_spawned(*ranks) ? 0 : std::erase_if(*ranks, is_spawned);
}

}  // namespace

LeftOut choose_ranks(std::vector<RawRecording>* ranks) {
  if (ranks->empty()) throw InputError("", "no recordings to read");
  LeftOut left_out;
  left_out.unborn = leave_out_unborn(ranks);
  left_out.spawned = leave_out_spawned(ranks);
  std::sort(ranks->begin(), ranks->end(), [](const RawRecording& a, const RawRecording& b) {
    return a.header.world_rank < b.header.world_rank;
  });
  check_belong_together(*ranks);
  return left_out;
}

bool is_left_out(const RawRecording& raw, const std::vector<RawRecording>& all) {
  return is_spawned(raw) && !are_all_spawned(all);
}

}  // namespace apmt
