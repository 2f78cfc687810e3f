// Where runs are stored. An experiment is a directory of runs; a run is a directory
// apmt-<program>.p<ranks>.<name><value>....r<repetition>/ with one rank-NNNNN.apmt per rank and
// profile.json. Processes write into running-<id>/, because ranks cannot know each other; merging
// (collect.h) makes runs from the recordings there.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profile/run_profile.h"

namespace apmt {

/// "apmt-halo2d.p8.n1000.r1"
std::string run_name(const RunProfile& profile);

/// Directories of finished runs in an experiment; none where there is no such directory.
std::vector<std::filesystem::path> run_directories(const std::filesystem::path& experiment);

/// Folders running-* in an experiment.
std::vector<std::filesystem::path> running_directories(const std::filesystem::path& experiment);

/// The kind of a path, decided by its content.
enum class PathKind { kNothing, kRecording, kRun, kRunning, kExperiment, kModel, kOther };
PathKind kind_of(const std::filesystem::path& path);

/// The experiment below `directory` that changed last, except `others`. One with only failed
/// commands is chosen only if there is no other. Throws InputError (exit 3) when there is
/// none.
std::filesystem::path newest_experiment(const std::filesystem::path& directory,
                                        const std::vector<std::filesystem::path>& others = {});

}  // namespace apmt
