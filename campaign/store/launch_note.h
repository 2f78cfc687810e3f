// The file beside the recordings of a run that describes the command that made the run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "campaign/launching/program_files.h"

namespace apmt {

/// Describes a command that has ended; stored in its run as launch.json. apmt record writes it only
/// if the command failed.
struct LaunchNote {
  static constexpr const char* kFile = "launch.json";
  static constexpr const char* kOutputFile = "output.txt";
  std::vector<std::string> command;
  double elapsed_s = 0;
  int repetition = 0;                   // which repetition the campaign planned; 0: unknown
  std::vector<ProgramFile> files = {};  // files that the command ran
  int exit_code = 0;
  /// The files that the ranks had loaded and that are unchanged on this machine; absent if not
  /// checked.
  std::optional<std::vector<ProgramFile>> loaded = {};
};
void write_launch_note(const LaunchNote& note, const std::filesystem::path& run);
LaunchNote read_launch_note(const std::filesystem::path& run);

/// The build that made a run: the files that its command ran, and those that its ranks had loaded
/// (from its recordings if the note does not list them).
std::vector<ProgramFile> files_of_run(const std::filesystem::path& run);

}  // namespace apmt
