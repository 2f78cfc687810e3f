// Finds the profiles of an experiment: one profile.json in the folder of each run.
#pragma once

#include <filesystem>
#include <vector>

namespace apmt {

/// The profile of `dir` itself, if `dir` is the folder of a run, and of the run folders in it,
/// sorted by path. Hidden folders (.campaign-*, .simulating-*) are temporary and skipped.
std::vector<std::filesystem::path> profiles_in(const std::filesystem::path& dir);

}  // namespace apmt
