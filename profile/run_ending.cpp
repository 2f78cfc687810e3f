#include "profile/run_ending.h"

#include "base/words.h"

namespace apmt {

RunEnding ending_of(const RunProfile& profile) {
  const Health& health = profile.health;
  if (health.ranks_cut_off > 0 || health.ranks_aborted > 0 ||
      health.ranks_present < profile.config.procs)
    return RunEnding::kCutOff;
  return health.ranks_unfinalized > 0 ? RunEnding::kUnfinalized : RunEnding::kWhole;
}

std::string how_it_ended(const RunProfile& profile) {
  const Health& health = profile.health;
  const auto some = [&](int count, const std::string& was, const std::string& were) {
    return counted_of(count, profile.config.procs, "rank", was, were);
  };
  if (const int missing = profile.config.procs - health.ranks_present; missing > 0)
    return some(missing, "left no recording", "left no recording");
  if (health.ranks_aborted > 0)
    return some(health.ranks_aborted, "called MPI_Abort", "called MPI_Abort");
  if (health.ranks_running > 0)
    return some(health.ranks_running, "was still running when this was read",
                "were still running when this was read");
  const std::string place = profile.mpi_library.empty() ? "before its end" : "before MPI_Finalize";
  if (health.ranks_cut_off > 0)
    return some(health.ranks_cut_off, "was cut off ", "were cut off ") + place;
  if (health.ranks_unfinalized > 0)
    return some(health.ranks_unfinalized, "ended without MPI_Finalize",
                "ended without MPI_Finalize");
  return "all ranks ended normally";
}

}  // namespace apmt
