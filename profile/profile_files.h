// Where an experiment's profiles lie: one profile.json in the folder of each run.
#pragma once

#include <filesystem>
#include <vector>

namespace apmt {

/// That of the directory itself, where it is a run, and of the runs in it, in order of their names.
/// What is hidden (.campaign-*, .simulating-*) is at work or on its way out, and no run.
std::vector<std::filesystem::path> profiles_in(const std::filesystem::path& dir);

}  // namespace apmt
