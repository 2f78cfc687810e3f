// Finds the files that a command runs, and whether they have changed: a run of an older build does
// not count as a run of the present program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/checked_json.h"

namespace apmt {

/// A program, a script or a library. Two files are the same build if their build ids are equal or,
/// without build ids, if their sizes and contents are.
struct ProgramFile {
  std::filesystem::path path;   // absolute
  std::string build_id = {};    // hexadecimal; empty: there is none
  std::uint64_t bytes = 0;      // 0: not known
  std::string content_id = {};  // a hash of the content; empty if there is a build id

  bool is_same_build(const ProgramFile& other) const;
};

/// Describes a file. Absent if it is no regular file or cannot be read.
std::optional<ProgramFile> look_at(const std::filesystem::path& file);

/// The files that a command runs: programs, scripts with execute permission, and the first argument
/// of an interpreter (python3 app.py). The launcher and files of the system (a shell) are left out,
/// unless they are the program itself. Input files are left out, too, because a program may change
/// them.
std::vector<ProgramFile> files_run_by(const std::vector<std::string>& command);

/// The files with build ids that a run's first rank had loaded: the program and its libraries,
/// without the libraries of the system and of apmt.
std::vector<ProgramFile> files_recorded_in(const std::filesystem::path& run);

/// The loaded files that still exist unchanged at their paths. If there is another build at a path,
/// the path is added to `others`: in a container, the same path may be another file.
std::vector<ProgramFile> still_there(const std::vector<ProgramFile>& loaded,
                                     std::vector<std::filesystem::path>* others);

/// Describes the first file of `then` that has been rebuilt since; empty if there is none. `now`
/// are the files that the command would run at present. Files of `then` that are not in `now` are
/// looked up at their old paths.
std::string what_was_rebuilt(const std::vector<ProgramFile>& then,
                             const std::vector<ProgramFile>& now);

Json to_json(const std::vector<ProgramFile>& files);
std::vector<ProgramFile> program_files_from(const JsonAt& list);

}  // namespace apmt
