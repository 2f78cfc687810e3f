// Finds out which word of a command is the program, and which MPI the program needs.
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
  std::string loader;          // the dynamic loader that it names; empty: none
  bool is_privileged = false;  // setuid or setgid: the loader ignores LD_PRELOAD

  /// True for a static program, into which nothing can be preloaded.
  bool is_static() const { return is_elf && loader.empty(); }
};

/// Finds the file of a word as the shell would. Absent if it is no executable file.
std::optional<Executable> find_executable(const std::string& word);

/// The program and the launcher in a command such as {"mpirun", "-np", "4", "./app"}.
struct Target {
  MpiFamily family = MpiFamily::kNone;
  /// The first word that is a program with MPI, or else the first that is a program at all. The
  /// launcher and programs that only start another (timeout, a shell, a script) are skipped.
  std::optional<Executable> program;
  std::optional<Executable> starter;  // the first program that only starts another
  bool needs_asan = false;            // needs AddressSanitizer's library to be loaded first
  std::string fortran_library;  // of a program for SMPI: "libgfortran.so.5"; empty: none
};

/// Finds the program and its MPI. If no program is linked to an MPI (as with an interpreter), the
/// launcher's --version shows the MPI; for a script without a launcher, mpirun's --version.
Target target_of(const std::vector<std::string>& command);

/// Whether the word is the name or path of a launcher: mpirun, /opt/mpi/bin/mpiexec.hydra, ...
bool is_launcher_name(const std::string& word);

/// Whether the first word is a launcher of MPI programs (mpirun, mpiexec, srun, ...).
bool starts_with_launcher(const std::vector<std::string>& command);

/// Like starts_with_launcher(), but the launcher may also follow programs that only start another
/// (timeout 60 mpirun ...).
bool starts_a_launcher(const std::vector<std::string>& command);

/// The likely reason why no rank left a recording, judging by the command.
std::string why_not_recorded(const Target& target, const std::vector<std::string>& command = {});

}  // namespace apmt
