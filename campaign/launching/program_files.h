// Which files a command runs, and whether they have changed: a run of an older build is not a run
// of the present program.
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

/// Absent if it is not a regular file that can be read.
std::optional<ProgramFile> look_at(const std::filesystem::path& file);

/// The files that a command runs: programs, scripts with execute permission, and the first
/// argument of an interpreter (python3 app.py). The launcher and the system's files (a shell) are
/// left out, except the program itself. Input files are not included: a program may write to
/// them.
std::vector<ProgramFile> files_run_by(const std::vector<std::string>& command);

/// The files that a run's first rank had loaded: the program, and libraries that are neither the
/// system's nor apmt's.
std::vector<ProgramFile> files_recorded_in(const std::filesystem::path& run);

/// The loaded files that still exist unchanged at their paths. In a container the same path may be
/// another file: files with another build id go to `others`.
std::vector<ProgramFile> still_there(const std::vector<ProgramFile>& loaded,
                                     std::vector<std::filesystem::path>* others);

/// A sentence about the first file of `then` that is another build now; empty if none is. `now` are
/// the files that the command would run; files that it does not name are looked up at their old
/// paths.
std::string what_was_rebuilt(const std::vector<ProgramFile>& then,
                             const std::vector<ProgramFile>& now);

Json to_json(const std::vector<ProgramFile>& files);
std::vector<ProgramFile> program_files_from(const JsonAt& list);

}  // namespace apmt
