// The runs that a verb compares with others.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace apmt {

/// The virtual clusters of the runs of an experiment, or of a single run, as texts that
/// cluster_of_launch() makes. Empty if no run states one.
std::set<std::string> virtual_clusters(const std::filesystem::path& experiment_or_run);

}  // namespace apmt
