// Chooses the part of a run to simulate. Simulation is 50 to 100 times slower than running, and
// most programs repeat themselves.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "profile/run_profile.h"

namespace apmt {

/// A program may call the operation that marks rounds 2, 3, 4 or 6 times per iteration: twelve
/// calls are whole iterations of each of these.
inline constexpr int kUsualRounds = 12;

/// The window between two calls of this operation on each rank; first < last.
struct SimulationWindow {
  std::string op;  // "MPI_Allreduce"
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  double calls_per_rank = 0;  // in the whole run

  /// The share of the run's rounds that lie in the window.
  double share() const { return static_cast<double>(last - first) / calls_per_rank; }
  /// In the form of APMT_SIMULATE: "MPI_Allreduce:10:13".
  std::string text() const;
};

/// A window of `rounds` rounds. A round is the time between two calls of the rarest operation that
/// still recurs often enough; it contains everything that happens at least as regularly. Absent if
/// nothing recurs: then the whole run must be simulated.
std::optional<SimulationWindow> choose_window(const RunProfile& profile, int rounds);

}  // namespace apmt
