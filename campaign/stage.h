// Where a campaign's run is stored until it is complete: <experiment>/.campaign-<name>/, which no
// other verb looks into. One process at a time owns it, by a lock that dies with its owner.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/checked_json.h"
#include "campaign/folder_lock.h"
#include "campaign/program_files.h"

namespace apmt {

/// What is known of a command that has ended; kept with its run as launch.json. Of runs of apmt
/// record those have one whose command failed.
struct LaunchNote {
  static constexpr const char* kFile = "launch.json";
  static constexpr const char* kOutputFile = "output.txt";
  std::vector<std::string> command;
  double elapsed_s = 0;
  int repetition = 0;                   // of its point, as the campaign planned it; 0: not known
  std::vector<ProgramFile> files = {};  // that the command ran
  int exit_code = 0;
};
void write_launch_note(const LaunchNote& note, const std::filesystem::path& run);
LaunchNote read_launch_note(const std::filesystem::path& run);

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

  /// The command ended well: from now on its runs cannot be lost. Returns their final places.
  /// `replaced` as CollectOptions say.
  std::vector<std::filesystem::path> keep(const std::string& run_id, const LaunchNote& note,
                                          const std::vector<std::filesystem::path>& replaced);

  /// What processes said that were not recorded, when runs were last kept.
  const std::vector<std::string>& reasons() const { return reasons_; }

  /// The command was interrupted: removes what it left.
  void discard(const std::string& run_id);

  /// The command failed: moves what it left into the experiment as failed-*, for people to look at,
  /// and returns where its output is.
  std::filesystem::path set_aside(const std::string& run_id);

  /// Salvages what campaigns over other process counts left when they were killed on this host.
  static void salvage_abandoned(const std::filesystem::path& experiment);

 private:
  Stage(std::filesystem::path experiment, std::filesystem::path dir, FolderLock lock)
      : experiment_(std::move(experiment)), dir_(std::move(dir)), lock_(std::move(lock)) {}
  std::filesystem::path running(const std::string& run_id) const;

  std::filesystem::path experiment_;
  std::filesystem::path dir_;
  FolderLock lock_;
  std::vector<std::string> reasons_;
};

}  // namespace apmt
