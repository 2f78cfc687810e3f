// The parts that the processes of a run left, as one Analysis.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/input_error.h"
#include "kernels/analysis.h"

namespace apmt::kernels {

struct CollectedRun {
  Analysis analysis;                   // kernels of one process, counts of all
  std::vector<std::string> processes;  // that left a part: "0", "1", or "p4711" without a launcher
  std::string analysed;                // whose kernels these are
};

/// Throws `nothing_left` where no process left anything, and InputError where `rank` did not
/// although a launcher gave ranks.
CollectedRun collect_parts(const std::filesystem::path& folder, int rank,
                           const InputError& nothing_left);

}  // namespace apmt::kernels
