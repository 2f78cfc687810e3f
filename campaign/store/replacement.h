// Runs that a new run replaces. They move into the new run's folder before that folder gets its
// name, so that one rename decides: until then they can be put back, afterwards they are only
// removed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profile/run_profile.h"

namespace apmt {

/// Moves the runs of `old` with the process count and sizes of the new run into its folder `dir`,
/// if the new run ended as complete runs of the program do. Returns one sentence for each that
/// should have been moved but was not.
std::vector<std::string> make_room(const RunProfile& by, const std::filesystem::path& dir,
                                   const std::vector<std::filesystem::path>& old);

/// Undoes make_room(): moves the runs back into the experiment, and returns their places.
std::vector<std::filesystem::path> put_back(const std::filesystem::path& dir,
                                            const std::filesystem::path& experiment);

/// Removes the runs that a run has replaced.
void remove_replaced(const std::filesystem::path& run);

/// The same for all runs of an experiment: a process that made one may have been killed before this
/// step.
void remove_all_replaced(const std::filesystem::path& experiment);

}  // namespace apmt
