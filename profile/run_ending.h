// Tells whether a run was complete, according to the recordings of its ranks. The launcher's exit
// code is not enough: MPICH's hydra exits with 0 when a signal stops it in the middle of a run.
#pragma once

#include "profile/run_profile.h"

namespace apmt {

enum class RunEnding {
  kWhole,        // every rank reached MPI_Finalize or, without MPI, exited normally
  kUnfinalized,  // every rank exited normally, some of them without MPI_Finalize
  kCutOff,  // a rank was killed, crashed, left by _exit, called MPI_Abort, or left no recording
};
RunEnding ending_of(const RunProfile& profile);

/// Decides which runs of a program ended completely, by comparing the endings of all its runs. If
/// any run called MPI_Finalize on all ranks, only such runs are complete. If none did, a run is
/// complete when its ranks exited normally.
class EndingHabit {
 public:
  void see(RunEnding ending) { finalizes_ = finalizes_ || ending == RunEnding::kWhole; }
  bool is_whole(RunEnding ending) const {
    return ending == RunEnding::kWhole || (ending == RunEnding::kUnfinalized && !finalizes_);
  }

 private:
  bool finalizes_ = false;
};

/// A phrase such as "1 of 2 ranks was cut off before MPI_Finalize".
std::string how_it_ended(const RunProfile& profile);

}  // namespace apmt
