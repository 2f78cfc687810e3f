// Where runs lie. An experiment is a directory of runs; a run is a directory
// apmt-<program>.p<ranks>.<name><value>....r<repetition>/ with one rank-NNNNN.apmt per rank and,
// once merged, profile.json. While ranks write, the directory is called running-<launch>-<program>;
// the final name is given when they are merged, because ranks cannot know it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "profiler/reader/run_profile.h"

namespace apmt {

/// Called with (done, total) while recordings are read.
using OnProgress = std::function<void(std::size_t, std::size_t)>;

/// As recordings name it.
std::string this_host();

/// "apmt-halo2d.p8.n1000.r1"
std::string run_name(const RunProfile& profile);

/// Merges all recordings below `dir` without touching it.
RunProfile fold_directory(const std::filesystem::path& dir, const OnProgress& on_progress = {});

/// Recordings that were begun, in order of their names.
std::vector<std::filesystem::path> recordings_in(const std::filesystem::path& dir);

/// Directories of finished runs in an experiment; none where there is no such directory.
std::vector<std::filesystem::path> run_directories(const std::filesystem::path& experiment);

/// Merges a running-* directory and gives it its final name in `experiment`, as the next free
/// repetition. The profile is written before the rename: a directory with a final name is whole.
/// Of `replaced`, runs at the same process count and sizes make room for it when no rank is
/// missing; all other runs stay as they are.
std::filesystem::path collect_run(const std::filesystem::path& running,
                                  const std::filesystem::path& experiment,
                                  const OnProgress& on_progress = {},
                                  const std::vector<std::filesystem::path>& replaced = {});

/// Whether a process of a running-* directory may still be writing its recording.
bool still_written(const std::filesystem::path& running);

struct Collected {
  std::vector<std::filesystem::path> runs;  // new final directories
  std::vector<std::string> left;            // one sentence per directory that was left alone
};

/// Collects every running-* directory of an experiment whose processes are gone.
Collected collect_finished(const std::filesystem::path& experiment,
                           const OnProgress& on_progress = {});

/// What a path is: told by what lies there.
enum class PathKind { kNothing, kRecording, kRun, kRunning, kExperiment, kModel, kOther };
PathKind kind_of(const std::filesystem::path& path);

/// The experiment below `directory` that changed last, but none of `others`; one whose commands all
/// failed only where there is no other. Throws InputError
/// (exit 3) when there is none.
std::filesystem::path newest_experiment(const std::filesystem::path& directory,
                                        const std::vector<std::filesystem::path>& others = {});

}  // namespace apmt
