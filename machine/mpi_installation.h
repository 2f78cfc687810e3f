// Finds the MPI installations in PATH, and checks whether the recorder sees the MPI calls of
// programs that they start.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace apmt {

struct MpiInstallation {
  std::string family;   // "openmpi", "mpich": as in libapmt-<family>.so
  std::string version;  // first line printed for --version; Hydra: "MPICH" and its version
  std::filesystem::path launcher;
  std::filesystem::path c_compiler;        // empty: PATH has none of this family
  std::filesystem::path fortran_compiler;  // empty: PATH has none of this family
};

/// Returns one installation per family. Asks mpirun, mpiexec and similar launchers in
/// `search_path`. For each launcher whose family cannot be identified, `unknown` gets a line.
std::vector<MpiInstallation> find_mpi(const std::string& search_path,
                                      std::vector<std::string>* unknown = nullptr);

/// "openmpi", "mpich"; empty if the launcher's --version does not show its family (srun).
std::string mpi_family_of_launcher(const std::string& launcher);

/// Whether calls from a programming language are recorded.
struct Seen {
  std::string language;  // "C", "Fortran", "f08"
  enum class State { kYes, kNo, kNotTested } state = State::kNotTested;
  std::string why;  // if not kYes
};

/// Compiles three small programs from `probes`, records two ranks of each with `apmt`, and looks
/// for their calls.
std::vector<Seen> self_test(const MpiInstallation& mpi, const std::filesystem::path& apmt,
                            const std::filesystem::path& probes);

/// The first words of a test command with `ranks` ranks. They allow more ranks than cores, the user
/// root, and other programs on the same cores.
std::vector<std::string> launch_words(const MpiInstallation& mpi, int ranks);

}  // namespace apmt
