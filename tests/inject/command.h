// Runs commands for tests, in a folder that belongs to the test, and returns all that they print.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <map>
#include <string>

#include "base/checked_json.h"
#include "base/temporary_folder.h"

namespace apmt::testing {

struct Output {
  int exit_code = -1;  // 128 + n when signal n ended it
  std::string out;
  std::string err;
};

/// A temporary folder in which the commands run; it is removed with its content.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return folder_.path(); }

  /// Runs a shell command. The built apmt is the first in PATH.
  Output run(const std::string& command) const;

  /// The JSON that a command prints; the test fails if the command does not end with 0.
  Json json(const std::string& command) const;

  /// All that is below a folder, except what run() itself writes there. The key is the path; the
  /// value holds the kind, the permissions, the time of the last change and the content. If two
  /// such maps are equal, nothing was written between them.
  std::map<std::string, std::string> contents(const std::string& below = ".") const;

  /// The only entry whose name begins with `prefix` in the directory `below`.
  std::filesystem::path only(const std::string& below, const std::string& prefix) const;

 private:
  TemporaryFolder folder_;
};

/// An installed MPI: how its programs are started and where the examples built with it are.
struct Mpi {
  std::string name;  // "openmpi", "mpich"
  std::string run;   // followed by the number of ranks and the program
  std::string examples;
  /// Why tests cannot use this MPI: its launcher or the examples are missing. Empty if they can.
  std::string missing() const;
  bool present() const { return missing().empty(); }
};
void PrintTo(const Mpi* mpi, std::ostream* out);  // for the names of tests
const Mpi& openmpi();
const Mpi& mpich();

}  // namespace apmt::testing
