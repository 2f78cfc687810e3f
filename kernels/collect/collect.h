// Joins the analyses that the processes of a run wrote (part-*.json) into one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/input_error.h"
#include "kernels/analysis.h"

namespace apmt::kernels {

struct CollectedRun {
  Analysis analysis;                   // kernels of one process, scopes of all
  std::vector<std::string> processes;  // ranks: "0", "1"; process IDs without a launcher: "p4711"
  std::string analysed;                // the process whose kernels are in `analysis`
};

/// Throws `nothing_left` if no process wrote a file, and InputError if a launcher gave ranks but
/// the process of rank `rank` wrote no file.
CollectedRun collect_parts(const std::filesystem::path& folder, int rank,
                           const InputError& nothing_left);

}  // namespace apmt::kernels
