// Where a campaign's run is stored until it is complete: <experiment>/.campaign-<name>/, which no
// other verb looks into. One process at a time owns it, by a lock that dies with its owner.
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
  /// Takes the lock. Throws InputError when another process has it, and keeps it.
  Stage(std::filesystem::path experiment, const std::string& name);
  /// Removes the stage, unless ranks still write there, and gives the lock back.
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  const std::filesystem::path& dir() const { return dir_; }
  std::filesystem::path output() const { return dir_ / LaunchNote::kOutputFile; }

  /// Gives every run whose command ended well its place in the experiment. What else lies there is
  /// of a command that was cut off: it is removed once its processes are gone.
  void salvage();

  /// One sentence for whatever could not be merged or replaced so far, though something could.
  const std::vector<std::string>& problems() const { return problems_; }

  /// The command ended well: from now on its runs cannot be lost. Returns their final places.
  /// `replaced` as CollectOptions say.
  std::vector<std::filesystem::path> keep(const std::string& run_id, const LaunchNote& note,
                                          std::vector<std::filesystem::path>* replaced);

  /// What processes said that were not recorded, when runs were last kept.
  const std::vector<std::string>& reasons() const { return reasons_; }

  /// The command was interrupted: removes what it left.
  void discard(const std::string& run_id);

  /// The command failed: moves what it left into the experiment as failed-*, for people to look at,
  /// and returns where its output is.
  std::filesystem::path set_aside(const std::string& run_id);

  /// Salvages what campaigns over other process counts left when they were killed on this host.
  /// Returns the problems.
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
