// Where runs are stored. An experiment is a directory of runs. A run is a directory
// apmt-<program>.p<ranks>.<name><value>....r<repetition>/ with profile.json and one rank-NNNNN.apmt
// per rank. Processes write into running-<id>/, because they do not know the other ranks of their
// run; collect.h makes runs from the recordings there.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profile/run_profile.h"

namespace apmt {

/// "apmt-halo2d.p8.n1000.r1"
std::string run_name(const RunProfile& profile);

/// The directories of an experiment's runs, complete or not; none if there is no such experiment.
std::vector<std::filesystem::path> run_directories(const std::filesystem::path& experiment);

/// Whether a file has a name like a recording's.
bool is_recording_name(const std::filesystem::path& path);

/// The folders running-* of an experiment.
std::vector<std::filesystem::path> running_directories(const std::filesystem::path& experiment);

/// What a path is, judged by its name and content.
enum class PathKind { kNothing, kRecording, kRun, kRunning, kExperiment, kModel, kOther };
PathKind kind_of(const std::filesystem::path& path);

/// The experiments that are folders of `directory`, sorted by name.
std::vector<std::filesystem::path> experiments_in(const std::filesystem::path& directory);

/// `directory` itself if it is an experiment; otherwise the experiment in it that changed last,
/// except `others`. An experiment that has only runs of failed commands is chosen only if there is
/// no other. Throws InputError (exit code 3) if there is none.
std::filesystem::path newest_experiment(const std::filesystem::path& directory,
                                        const std::vector<std::filesystem::path>& others = {});

}  // namespace apmt
