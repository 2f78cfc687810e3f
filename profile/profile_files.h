// Finds the profiles of an experiment: one profile.json in the folder of each run.
#pragma once

#include <filesystem>
#include <vector>

namespace apmt {

/// Returns the sorted paths of the profiles: that of `dir` itself, if `dir` is the folder of a run,
/// and those of the run folders in it. Skips hidden folders (.campaign-*, .simulating-*), because
/// they are temporary.
std::vector<std::filesystem::path> profiles_in(const std::filesystem::path& dir);

}  // namespace apmt
