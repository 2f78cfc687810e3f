// Which files a command runs, and whether they are still what they were: a run of an older build is
// no run of the program that lies there now.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/checked_json.h"

namespace apmt {

/// A program, a script or a library. Two files are the same build when their build ids are equal
/// or, where one has none, when size and content are.
struct ProgramFile {
  std::filesystem::path path;   // absolute
  std::string build_id = {};    // hexadecimal; empty: it has none
  std::uint64_t bytes = 0;      // 0: not known
  std::string content_id = {};  // a digest; empty where there is a build id

  bool is_same_build(const ProgramFile& other) const;
};

/// Absent where there is no such regular file that can be read.
std::optional<ProgramFile> look_at(const std::filesystem::path& file);

/// What a command names that is run: programs, scripts that have the right to be executed, and what
/// an interpreter is given first (python3 app.py). The launcher is left out, and files of the
/// system (a shell), but for the program itself. Input files are not looked at: a program may write
/// to them.
std::vector<ProgramFile> files_run_by(const std::vector<std::string>& command);

/// What a run's first rank had loaded: the program, and libraries that are neither the system's nor
/// ours.
std::vector<ProgramFile> files_recorded_in(const std::filesystem::path& run);

/// Of files that were loaded, those that lie where they did. In a container a path names another
/// file than here: what lies there with another build id goes to `others`.
std::vector<ProgramFile> still_there(const std::vector<ProgramFile>& loaded,
                                     std::vector<std::filesystem::path>* others);

/// The first of `then` that is another build now, in words; empty: all are what they were. `now` is
/// what the command would run; files that it does not name are looked for where they were.
std::string what_was_rebuilt(const std::vector<ProgramFile>& then,
                             const std::vector<ProgramFile>& now);

Json to_json(const std::vector<ProgramFile>& files);
std::vector<ProgramFile> program_files_from(const JsonAt& list);

}  // namespace apmt
