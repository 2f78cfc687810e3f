// Which word of a command is the program, and which MPI the program needs.
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

  /// Nothing can be preloaded into a static program.
  bool is_static() const { return is_elf && loader.empty(); }
};

/// Looks a word up as the shell would. Absent when there is no such executable file.
std::optional<Executable> find_executable(const std::string& word);

/// The program and the launcher in a command such as {"mpirun", "-np", "4", "./app"}.
struct Target {
  MpiFamily family = MpiFamily::kNone;
  /// The first word that is a program needing MPI, or else the first word that is a program. The
  /// launcher and programs that only start another (timeout, a shell, a script) are skipped.
  std::optional<Executable> program;
  std::optional<Executable> starter;  // the first of those
  bool needs_asan = false;      // AddressSanitizer's library, which wants to be the first of all
  std::string fortran_library;  // "libgfortran.so.5"; empty: it loads none
};

/// If no program visibly needs MPI (an interpreter), the launcher's --version tells the MPI family;
/// for a script, which may start anything, that of mpirun does.
Target target_of(const std::vector<std::string>& command);

/// mpirun, srun, /opt/mpi/bin/mpiexec.hydra, ...
bool is_launcher_name(const std::string& word);

/// Whether the first word is a launcher of MPI programs (mpirun, mpiexec, srun, ...).
bool starts_with_launcher(const std::vector<std::string>& command);

/// The same after programs that only start another (timeout 60 mpirun ...).
bool starts_a_launcher(const std::vector<std::string>& command);

/// Why no rank left a recording, as far as the command shows.
std::string why_not_recorded(const Target& target, const std::vector<std::string>& command = {});

}  // namespace apmt
