// apmt analyze --join: an analysis beside the times of a recorded run.
#pragma once

#include <filesystem>

namespace apmt {

/// Prints the join of a run, or of an experiment with a single run, with an analysis. If `analysis`
/// is empty, it is analysis.json in the run's folder, or else in the working directory. Returns the
/// exit code.
int print_join(const std::filesystem::path& run, std::filesystem::path analysis, bool json);

}  // namespace apmt
