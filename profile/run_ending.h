// Whether a run was complete, according to the recordings of its ranks. A launcher's exit code is
// not enough: MPICH's hydra ends with 0 when it is signalled in the middle of a run.
#pragma once

#include "profile/run_profile.h"

namespace apmt {

enum class RunEnding {
  kWhole,        // every rank reached MPI_Finalize or, without MPI, exited normally
  kUnfinalized,  // every rank exited normally, some of them without MPI_Finalize
  kCutOff,  // a rank was killed, crashed, left by _exit, called MPI_Abort, or left no recording
};
RunEnding ending_of(const RunProfile& profile);

/// The usual ending of a program's runs. If a program never calls MPI_Finalize, a run is complete
/// when its ranks exit normally; if it usually calls MPI_Finalize, such a run is not complete.
class EndingHabit {
 public:
  void see(RunEnding ending) { finalizes_ = finalizes_ || ending == RunEnding::kWhole; }
  bool is_whole(RunEnding ending) const {
    return ending == RunEnding::kWhole || (ending == RunEnding::kUnfinalized && !finalizes_);
  }

 private:
  bool finalizes_ = false;
};

/// One sentence without its subject: "1 of 2 ranks was cut off before MPI_Finalize".
std::string how_it_ended(const RunProfile& profile);

}  // namespace apmt
