// Which part of a run is worth simulating: it is 50 to 100 times slower, and most programs repeat
// themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "profile/run_profile.h"

namespace apmt {

/// A program may call the marking operation 2, 3, 4 or 6 times per iteration: twelve calls hold
/// whole iterations of each of these.
inline constexpr int kUsualRounds = 12;

/// From the first to the last of these calls on each rank; first < last.
struct SimulationWindow {
  std::string op;  // "MPI_Allreduce"
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  double calls_per_rank = 0;  // in the whole run

  /// The share of the run's rounds that lies in the window.
  double share() const { return static_cast<double>(last - first) / calls_per_rank; }
  /// As APMT_SIMULATE wants it: "MPI_Allreduce:10:13".
  std::string text() const;
};

/// A window of so many rounds. A round is what happens between two calls of the rarest operation
/// that still recurs often enough; it holds everything that is done as regularly as that. Absent
/// when nothing recurs: then only the whole run will do.
std::optional<SimulationWindow> choose_window(const RunProfile& profile, int rounds);

}  // namespace apmt
