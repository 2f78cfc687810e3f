// The MPI installations in PATH, and whether the recorder sees the calls of the programs that they
// start.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace apmt {

struct MpiInstallation {
  std::string family;   // "openmpi", "mpich": as in libapmt-<family>.so
  std::string version;  // first line of the launcher's --version
  std::filesystem::path launcher;
  std::filesystem::path c_compiler;        // empty: none of this family in PATH
  std::filesystem::path fortran_compiler;  // likewise
};

/// Each family once, from the output of mpirun, mpiexec and similar launchers in `search_path`.
/// `unknown` gets a line for each launcher whose family cannot be identified.
std::vector<MpiInstallation> find_mpi(const std::string& search_path,
                                      std::vector<std::string>* unknown = nullptr);

/// "openmpi", "mpich", or empty if its --version does not show the family (srun).
std::string mpi_family_of_launcher(const std::string& launcher);

/// Whether calls from a language are recorded.
struct Seen {
  std::string language;  // "C", "Fortran", "f08"
  enum class State { kYes, kNo, kNotTested } state = State::kNotTested;
  std::string why;  // when not kYes
};

/// Compiles three small programs, records two ranks of each with `apmt` and looks for their calls.
/// `probes` holds the programs' sources.
std::vector<Seen> self_test(const MpiInstallation& mpi, const std::filesystem::path& apmt,
                            const std::filesystem::path& probes);

/// The words that let a launcher start `ranks` ranks here for a test: on too few cores, as root.
std::vector<std::string> launch_words(const MpiInstallation& mpi, int ranks);

}  // namespace apmt
