// What a run profile says beside its figures: the threads behind the ranks, what recording itself
// cost, and which libraries took part.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/checked_json.h"

namespace apmt {

/// A thread that did a hundredth or more of what the busiest of its rank did.
struct ThreadRow {
  int rank = 0;       // position among the recorded ranks
  double wall_s = 0;  // its life, as far as it was recorded
  double cpu_s = 0;
  std::uint64_t samples = 0;
  std::optional<double> cycles;  // unhalted, in user mode; absent where they are not counted
};

/// What one event of recording costs, in seconds; the mean over ranks. Absent: nobody measured it.
struct OwnCost {
  std::optional<double> sample_s;    // calibrated at start: delivery_s + handler_s
  std::optional<double> delivery_s;  // by the kernel
  std::optional<double> handler_s;
  std::optional<double> handler_in_run_s;  // of all handlers of the run
  std::optional<double> mpi_call_s;        // calibrated: what one wrapper adds
};

/// By name ("libc", "papi"): the version.
using Libraries = std::map<std::string, std::string>;

Json to_json(const std::vector<ThreadRow>& threads);
std::vector<ThreadRow> threads_from_json(const JsonAt& json);

Json to_json(const OwnCost& cost);
OwnCost own_cost_from_json(const JsonAt& json);

}  // namespace apmt
