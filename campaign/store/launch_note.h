// What is known of the command that made a run, beside its recordings.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "campaign/launching/program_files.h"

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
  /// What the ranks had loaded of this machine's files; absent where nobody has looked.
  std::optional<std::vector<ProgramFile>> loaded = {};
};
void write_launch_note(const LaunchNote& note, const std::filesystem::path& run);
LaunchNote read_launch_note(const std::filesystem::path& run);

/// What a run is a run of: the files that its command ran, and those that its ranks had loaded, by
/// its recordings where the note does not say.
std::vector<ProgramFile> files_of_run(const std::filesystem::path& run);

}  // namespace apmt
