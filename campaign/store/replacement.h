// Replaces old runs with a new one. The old runs are moved into the new run's folder before that
// folder gets its final name. So one rename decides: before it, the old runs can be put back; after
// it, they only have to be removed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profile/run_profile.h"

namespace apmt {

/// If the new run `by` is complete, makes room for it: moves the runs of `old` that have its
/// process count and sizes into its folder `dir`. Returns one sentence for each run that should
/// have been moved but was not.
std::vector<std::string> make_room(const RunProfile& by, const std::filesystem::path& dir,
                                   const std::vector<std::filesystem::path>& old);

/// Undoes make_room(): moves the runs back into the experiment, and returns their places.
std::vector<std::filesystem::path> put_back(const std::filesystem::path& dir,
                                            const std::filesystem::path& experiment);

/// Removes the runs that `run` has replaced.
void remove_replaced(const std::filesystem::path& run);

/// Calls remove_replaced() for all runs of an experiment, because a process may have been killed
/// before it called that function itself.
void remove_all_replaced(const std::filesystem::path& experiment);

}  // namespace apmt
