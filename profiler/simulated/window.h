// Chooses the part of a run to simulate (the window). Simulation is 50 to 100 times slower than a
// normal run, and most programs repeat the same work.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "profile/run_profile.h"

namespace apmt {

/// The usual length of a window, in rounds (see choose_window). If an iteration of the program has
/// 1, 2, 3, 4 or 6 rounds, twelve rounds are a whole number of iterations.
inline constexpr int kUsualRounds = 12;

/// The window lasts from call number `first` of an operation to call number `last` on each rank;
/// first < last.
struct SimulationWindow {
  std::string op;  // "MPI_Allreduce"
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  double calls_per_rank = 0;  // in the whole run

  /// The share of the run's rounds that are in the window.
  double share() const { return static_cast<double>(last - first) / calls_per_rank; }
  /// In the form of APMT_SIMULATE: "MPI_Allreduce:10:13".
  std::string text() const;
};

/// Chooses a window of `rounds` rounds. A round is the time between two calls to one MPI operation.
/// All ranks must call the operation equally often, and so often that the run is several times as
/// long as the window. Of all such operations the rarest is chosen, so a round includes all work
/// that recurs at least as often. Absent if there is no such operation: then the whole run must be
/// simulated.
std::optional<SimulationWindow> choose_window(const RunProfile& profile, int rounds);

}  // namespace apmt
