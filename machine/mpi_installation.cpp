#include "machine/mpi_installation.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/checked_json.h"
#include "base/input_error.h"
#include "base/search_path.h"
#include "base/temporary_folder.h"
#include "machine/mpi_family.h"
#include "machine/subprocess.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// The family that the text names; empty if it names none.
std::string family_of(const std::string& said) {
  const MpiFamily family = family_in_words(said);
  return family == MpiFamily::kNone ? std::string() : to_string(family);
}

/// The first program of `names` in the search path that belongs to `family`, judging by what it
/// prints for `option`.
fs::path of_family(const std::vector<std::string>& names, const std::string& option,
                   const std::string& family, const std::string& search_path) {
  for (const std::string& name : names) {
    const fs::path path = find_in_path(name, search_path);
    if (path.empty()) continue;
    const Finished said = run_command({{path.string(), option}, {}, {}, 10});
    if (said.ok() && family_of(said.output) == family) return path;
  }
  return {};
}

std::string not_understood(const fs::path& launcher, const Finished& said) {
  const std::string who = launcher.string() + " --version ";
  if (said.timed_out)
    return who + "does not answer within " + std::to_string(kVersionWithin_s) + " s";
  return who + "ends with exit code " + std::to_string(said.exit_code) + " and prints \"" +
         first_line(said.output).substr(0, 80) + "\"";
}

/// Compiles a probe. Only this shows that the compiler wrapper works: a wrapper that can print its
/// command may still lack its compiler.
Finished compile(const fs::path& compiler, const fs::path& source, const fs::path& folder) {
  return run_command(
      {{compiler.string(), "-O1", "-o", (folder / "probe").string(), source.string()},
       folder,
       {},
       120});
}

/// Whether a run of a probe has the probe's calls: rank 0 sends one message to rank 1, and both
/// ranks call one allreduce.
bool has_all_calls(const fs::path& run) {
  const Json root = read_json_file(run / "profile.json", "apmt-run-profile", 1);
  double sent = 0;
  double reduced = 0;
  for (const Json& row : root.at("mpi")) {
    const std::string op = row.at("op").get<std::string>();
    if (op == "Send" || op == "MPI_Send") sent += row.at("calls").get<double>();
    if (op == "Allreduce" || op == "MPI_Allreduce") reduced += row.at("calls").get<double>();
  }
  return sent == 1 && reduced == 2;
}

Seen test_language(const MpiInstallation& mpi, const std::string& language,
                   const fs::path& compiler, const fs::path& source, const fs::path& apmt) {
  Seen seen;
  seen.language = language;
  if (compiler.empty()) {
    seen.why = "no compiler";
    return seen;
  }
  const TemporaryFolder folder;
  const Finished compiled = compile(compiler, source, folder.path());
  if (!compiled.ok()) {
    seen.why =
        compiler.filename().string() + " cannot compile the test: " + first_line(compiled.output);
    return seen;
  }
  std::vector<std::string> words = {apmt.string(), "record", "-d",
                                    (folder.path() / "runs").string(), "--"};
  for (const std::string& word : launch_words(mpi, 2)) words.push_back(word);
  words.push_back((folder.path() / "probe").string());
  const Finished ran = run_command({words, folder.path(), {{"APMT_QUIET", "1"}}, 60});
  seen.state = Seen::State::kNo;
  if (!ran.ok()) {
    seen.why =
        ran.timed_out ? "two ranks did not end within a minute" : "two ranks failed: " + ran.output;
    return seen;
  }
  try {
    for (const auto& run : fs::directory_iterator(folder.path() / "runs"))
      if (run.is_directory() && has_all_calls(run.path())) seen.state = Seen::State::kYes;
  } catch (const std::exception& error) {
    seen.why = error.what();
  }
  if (seen.state == Seen::State::kNo && seen.why.empty())
    seen.why = "calls are missing in the recording";
  return seen;
}

}  // namespace

std::string mpi_family_of_launcher(const std::string& launcher) {
  return family_of(ask_version(launcher).output);
}

std::vector<MpiInstallation> find_mpi(const std::string& search_path,
                                      std::vector<std::string>* unknown) {
  std::vector<MpiInstallation> found;
  for (const char* name :
       {"mpirun", "mpiexec", "mpirun.openmpi", "mpirun.mpich", "mpiexec.hydra"}) {
    const fs::path launcher = find_in_path(name, search_path);
    if (launcher.empty()) continue;
    const Finished said = ask_version(launcher);
    const std::string family = family_of(said.output);
    if (family.empty() && unknown != nullptr) unknown->push_back(not_understood(launcher, said));
    if (family.empty() || std::any_of(found.begin(), found.end(), [&](const MpiInstallation& mpi) {
          return mpi.family == family;
        }))
      continue;
    MpiInstallation mpi;
    mpi.family = family;
    mpi.launcher = launcher;
    mpi.version = first_line(said.output);
    for (const char* word : {"Version:"})  // Hydra prints its version in a separate line
      if (const std::size_t at = said.output.find(word); at != std::string::npos) {
        const std::size_t begin = said.output.find_first_not_of(' ', at + std::string(word).size());
        mpi.version = "MPICH " + first_line(said.output.substr(begin));
      }
    const bool is_openmpi = family == "openmpi";
    const std::string show = is_openmpi ? "--showme:version" : "-show";
    mpi.c_compiler =
        of_family({"mpicc." + family, "mpicc", "mpiicx", "mpiicc"}, show, family, search_path);
    mpi.fortran_compiler = of_family(
        {"mpif90." + family, "mpifort." + family, "mpifort", "mpif90", "mpiifx", "mpiifort"}, show,
        family, search_path);
    found.push_back(mpi);
  }
  return found;
}

std::vector<std::string> launch_words(const MpiInstallation& mpi, int ranks) {
  std::vector<std::string> words = {mpi.launcher.string(), "-np", std::to_string(ranks)};
  if (mpi.family == "openmpi") {
    // Other programs may use the cores at the same time. So the ranks are not bound to the first
    // cores, and a rank that waits yields its core.
    words.insert(words.end(), {"--oversubscribe", "--bind-to", "none"});
    words.insert(words.end(), {"--mca", "mpi_yield_when_idle", "1"});
    if (::geteuid() == 0) words.push_back("--allow-run-as-root");
  }
  return words;
}

std::vector<Seen> self_test(const MpiInstallation& mpi, const fs::path& apmt,
                            const fs::path& probes) {
  return {test_language(mpi, "C", mpi.c_compiler, probes / "two_ranks.c", apmt),
          test_language(mpi, "Fortran", mpi.fortran_compiler, probes / "two_ranks.f", apmt),
          test_language(mpi, "f08", mpi.fortran_compiler, probes / "two_ranks_f08.f90", apmt)};
}

}  // namespace apmt
