// What a command would run: which of its words is the program, and which MPI the program needs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "machine/mpi_family.h"

namespace apmt {

struct Executable {
  std::filesystem::path path;
  bool is_elf = false;
  std::string loader;          // the dynamic loader it names
  bool is_privileged = false;  // setuid or setgid: the loader ignores LD_PRELOAD

  /// Nothing can be preloaded into it.
  bool is_static() const { return is_elf && loader.empty(); }
};

/// Looks a word up as the shell would. Absent when there is no such executable file.
std::optional<Executable> find_executable(const std::string& word);

/// What a command such as {"mpirun", "-np", "4", "./app"} is about.
struct Target {
  MpiFamily family = MpiFamily::kNone;
  /// The first word that is a program needing MPI, else the first that is a program at all: neither
  /// the launcher nor what only starts another (timeout, a shell, a script).
  std::optional<Executable> program;
  std::optional<Executable> starter;  // the first of those
  bool needs_asan = false;  // AddressSanitizer's library, which wants to be the first of all
};

/// Where no program needs MPI visibly (an interpreter), the launcher's --version tells the family;
/// where a script may start anything, that of mpirun.
Target target_of(const std::vector<std::string>& command);

/// mpirun, srun, /opt/mpi/bin/mpiexec.hydra, ...
bool is_launcher_name(const std::string& word);

/// Whether the first word is a launcher of MPI programs (mpirun, mpiexec, srun, ...).
bool starts_with_launcher(const std::vector<std::string>& command);

/// The same behind what only starts it (timeout 60 mpirun ...).
bool starts_a_launcher(const std::vector<std::string>& command);

/// Why no rank left a recording, as far as looking at the command tells.
std::string why_not_recorded(const Target& target, const std::vector<std::string>& command = {});

}  // namespace apmt
