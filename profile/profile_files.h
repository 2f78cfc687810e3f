// The places of an experiment's profiles: one profile.json in the folder of each run.
#pragma once

#include <filesystem>
#include <vector>

namespace apmt {

/// The profile of the directory itself, if it is a run, and of the runs in it, sorted by name.
/// Hidden folders (.campaign-*, .simulating-*) are temporary and not runs.
std::vector<std::filesystem::path> profiles_in(const std::filesystem::path& dir);

}  // namespace apmt
