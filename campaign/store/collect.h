// Makes runs from the recordings in a folder running-<id>. The recordings of each launch are
// merged, and their folder gets its final name when it is complete.
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
  /// The runs that a complete new run at the same process count and sizes replaces; all other runs
  /// stay as they are. If the new run has the name of one of them, that one leaves the list.
  std::vector<std::filesystem::path>* replaced = nullptr;
  /// Merges the present recordings even if processes may still be writing.
  bool as_is = false;
};

struct Collected {
  std::vector<std::filesystem::path> runs;  // new final directories
  std::vector<std::string> left;            // one sentence for what was not merged, or not replaced
  std::vector<std::string> reasons;         // what processes say that were not recorded
  void add(Collected more);
};

/// Merges the launches in a folder running-*, each as the next free repetition in `experiment`. A
/// launch.json and output.txt there go with each. Of those of which a process may still be writing,
/// nothing is touched; nor of those that cannot be told apart. What goes wrong is said in `left`.
Collected collect_folder(const std::filesystem::path& running,
                         const std::filesystem::path& experiment,
                         const CollectOptions& options = {});

/// All folders running-* of an experiment.
Collected collect_finished(const std::filesystem::path& experiment,
                           const CollectOptions& options = {});

/// Merges the recordings of a folder without touching it. Throws InputError unless they are of one
/// launch.
RunProfile fold_directory(const std::filesystem::path& dir, const OnProgress& on_progress = {});

}  // namespace apmt
