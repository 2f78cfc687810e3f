// Makes runs from the recordings in a folder running-<id>: moves the recordings of each launch into
// a folder of their own, merges them there, and gives that folder the final name of the run.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "profile/run_profile.h"

namespace apmt {

/// Called with (done, total) while recordings are read.
using OnProgress = std::function<void(std::size_t, std::size_t)>;

struct CollectOptions {
  OnProgress on_progress;
  /// Old runs that may be replaced: a complete new run replaces those that have its process count
  /// and sizes. Old runs that are not in this list stay as they are. If a new run gets the folder
  /// name of an old run in this list, that name is removed from the list, because it is now the new
  /// run's.
  std::vector<std::filesystem::path>* replaced = nullptr;
  /// Merges the recordings as they are, even if processes may still be writing.
  bool as_is = false;
};

struct Collected {
  std::vector<std::filesystem::path> runs;  // folders of the new runs
  std::vector<std::string> left;  // one sentence for each thing that was not merged or not replaced
  std::vector<std::string> reasons;  // the processes' own reasons why they were not recorded
  void add(Collected more);
};

/// Merges the launches in a folder running-*. Each launch becomes the next free repetition in
/// `experiment`, with a copy of the folder's launch.json and output.txt. Launches that cannot be
/// told apart stay untouched; without `as_is`, so do those that a process may still be writing or
/// copying. `left` gets a sentence for each problem.
Collected collect_folder(const std::filesystem::path& running,
                         const std::filesystem::path& experiment,
                         const CollectOptions& options = {});

/// collect_folder() for all folders running-* of an experiment.
Collected collect_finished(const std::filesystem::path& experiment,
                           const CollectOptions& options = {});

/// The profile of one rank, made as if this rank were a whole run. The process may still be
/// running.
RunProfile fold_recording(const std::filesystem::path& file);

/// Merges the recordings of a folder without changing it. Throws InputError unless all recordings
/// are of one launch.
RunProfile fold_directory(const std::filesystem::path& dir, const OnProgress& on_progress = {});

}  // namespace apmt
