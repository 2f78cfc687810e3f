// The folder <experiment>/.campaign-<name>/, in which a campaign keeps a run until it is complete.
// No other command of apmt reads this folder. A lock reserves it for one process, and is released
// when that process ends.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "campaign/store/collect.h"
#include "campaign/store/folder_lock.h"
#include "campaign/store/launch_note.h"

namespace apmt {

class Stage {
 public:
  /// Takes the lock and keeps it. Throws InputError if another process has the lock.
  Stage(std::filesystem::path experiment, const std::string& name);
  /// Releases the lock, and removes the folder unless ranks still write there.
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  const std::filesystem::path& dir() const { return dir_; }
  std::filesystem::path output() const { return dir_ / LaunchNote::kOutputFile; }

  /// Moves every run whose command succeeded to its place in the experiment. All other runs in the
  /// folder come from interrupted commands, and are removed once their processes have ended.
  void salvage();

  /// One sentence for each run that could not be merged or replaced.
  const std::vector<std::string>& problems() const { return problems_; }

  /// To be called when the command has succeeded. After this call, its runs cannot be lost. Returns
  /// their final places. For `replaced`, see CollectOptions.
  std::vector<std::filesystem::path> keep(const std::string& run_id, const LaunchNote& note,
                                          std::vector<std::filesystem::path>* replaced);

  /// The processes' own reasons why they were not recorded, from the last call of keep().
  const std::vector<std::string>& reasons() const { return reasons_; }

  /// To be called when the command was interrupted. Removes its recordings.
  void discard(const std::string& run_id);

  /// To be called when the command has failed. Moves its recordings into the experiment as
  /// failed-*, for inspection, and returns the path of its output.
  std::filesystem::path set_aside(const std::string& run_id);

  /// Moves into `experiment` the runs of all campaigns that were killed on this host, also at
  /// process counts that the present campaign does not have. Returns a message for each run that
  /// could not be moved.
  static std::vector<std::string> salvage_abandoned(const std::filesystem::path& experiment);

 private:
  Stage(std::filesystem::path experiment, std::filesystem::path dir, FolderLock lock)
      : experiment_(std::move(experiment)), dir_(std::move(dir)), lock_(std::move(lock)) {}
  std::filesystem::path running(const std::string& run_id) const;
  void say_what_is_wrong(const Collected& collected);

  std::filesystem::path experiment_;
  std::filesystem::path dir_;
  FolderLock lock_;
  std::vector<std::string> reasons_;
  std::vector<std::string> problems_;
};

}  // namespace apmt
