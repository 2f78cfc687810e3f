// Runs that a new one takes the place of. They move into the new run's folder before that folder
// gets its name, so that one rename decides: until then they can be put back, from then on they are
// only to be removed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profile/run_profile.h"

namespace apmt {

/// Moves those of `old` that have the process count and sizes of the new run into its folder `dir`,
/// if it ended as whole runs of the program do. One sentence for each that stays though it should
/// not.
std::vector<std::string> make_room(const RunProfile& by, const std::filesystem::path& dir,
                                   const std::vector<std::filesystem::path>& old);

/// Gives what make_room() moved its place in the experiment again, and returns the places.
std::vector<std::filesystem::path> put_back(const std::filesystem::path& dir,
                                            const std::filesystem::path& experiment);

/// Removes what a run has replaced.
void remove_replaced(const std::filesystem::path& run);

/// The same for all runs of an experiment: whoever made them may have been killed before it did so.
void remove_all_replaced(const std::filesystem::path& experiment);

}  // namespace apmt
