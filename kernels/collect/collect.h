// Joins the parts that the processes of a run wrote into one Analysis.
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
  std::vector<std::string> processes;  // those with a part: "0", "1"; "p4711" without a launcher
  std::string analysed;                // the process whose kernels these are
};

/// Throws `nothing_left` if there are no parts, and InputError if a launcher gave ranks but there
/// is no part of `rank`.
CollectedRun collect_parts(const std::filesystem::path& folder, int rank,
                           const InputError& nothing_left);

}  // namespace apmt::kernels
