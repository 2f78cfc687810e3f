// apmt analyze --join: shows an analysis beside the times of a recorded run.
#pragma once

#include <filesystem>

namespace apmt {

/// The folder of a run, or of the only run of an experiment. Throws InputError if there are
/// several.
std::filesystem::path folder_of_one_run(const std::filesystem::path& path);

/// Prints an analysis, joined with a run (or with an experiment that has a single run). If
/// `analysis` is empty, reads analysis.json in the run's folder or, if there is none, in the
/// working directory. Returns the exit code.
int print_join(const std::filesystem::path& run, std::filesystem::path analysis, bool json);

}  // namespace apmt
