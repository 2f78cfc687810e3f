#include "command.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <ostream>
#include <set>

#include "base/atomic_file.h"

namespace apmt::testing {

namespace fs = std::filesystem;

Folder::Folder() {
  // ctest sets these variables for all tests (tests/mpi_environment.cmake). Here they are set for
  // test programs that are started by hand.
  setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 1);
  setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
}

namespace {

/// The folder where the JSON of all tests is collected for validation with the schemas; empty if it
/// is not collected.
fs::path kept() {
  const char* folder = std::getenv("APMT_KEEP_JSON");
  return folder == nullptr ? fs::path() : fs::path(folder);
}

/// The path of a new file in this folder, with a name that no other test uses.
fs::path kept_name(const std::string& what) {
  static int count = 0;
  return kept() /
         (what + "-" + std::to_string(::getpid()) + "-" + std::to_string(++count) + ".json");
}

}  // namespace

Output Folder::run(const std::string& command) const {
  const fs::path dir = path() / ".output";
  fs::create_directories(dir);
  const std::string bin = fs::path(APMT_COMMAND).parent_path().string();
  // If two launches of Open MPI 4 begin at the same time, both may try to make the same session
  // directory, and one fails. So each folder has a place of its own for session directories.
  const std::string line = "cd '" + path().string() + "' && export OMPI_MCA_orte_tmpdir_base='" +
                           dir.string() + "' PATH='" + bin + "':\"$PATH\" && { " + command +
                           "\n} >'" + (dir / "out").string() + "' 2>'" + (dir / "err").string() +
                           "' </dev/null";
  const int status = std::system(line.c_str());
  Output output;
  output.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  output.out = read_whole_file(dir / "out");
  output.err = read_whole_file(dir / "err");
  if (!kept().empty() && command.find("--json") != std::string::npos && Json::accept(output.out))
    std::ofstream(kept_name("printed")) << output.out;
  return output;
}

Folder::~Folder() {
  if (kept().empty()) return;
  const std::set<std::string> names = {"profile.json", "model.json", "launch.json", "refine.json"};
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path(), ignored))
    if (names.contains(entry.path().filename().string()) && entry.is_regular_file())
      fs::copy_file(entry.path(), kept_name(entry.path().stem().string()), ignored);
}

Json Folder::json(const std::string& command) const {
  const Output output = run(command);
  EXPECT_EQ(output.exit_code, 0) << command << "\n" << output.err;
  return output.exit_code == 0 ? parse_json(output.out, command) : Json();
}

std::map<std::string, std::string> Folder::contents(const std::string& below) const {
  std::map<std::string, std::string> found;
  const fs::path top = (path() / below).lexically_normal();
  for (auto entry = fs::recursive_directory_iterator(top); entry != end(entry); ++entry) {
    if (entry->path() == path() / ".output") {
      entry.disable_recursion_pending();
      continue;
    }
    struct stat status {};
    if (::lstat(entry->path().c_str(), &status) != 0) continue;
    std::string& what = found[entry->path().lexically_relative(top).string()];
    what = std::to_string(status.st_mode) + " " + std::to_string(status.st_mtim.tv_sec) + "." +
           std::to_string(status.st_mtim.tv_nsec);
    if (entry->is_symlink())
      what += " -> " + fs::read_symlink(entry->path()).string();
    else if (entry->is_regular_file())
      what += "\n" + read_whole_file(entry->path());
  }
  return found;
}

fs::path Folder::only(const std::string& below, const std::string& prefix) const {
  fs::path found;
  int count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(path() / below)) {
    if (!entry.path().filename().string().starts_with(prefix)) continue;
    found = entry.path();
    ++count;
  }
  EXPECT_EQ(count, 1) << "entries " << prefix << "* in " << path() / below;
  return found;
}

void PrintTo(const Mpi* mpi, std::ostream* out) { *out << mpi->name; }

std::string Mpi::missing() const {
  const std::string launcher = run.substr(0, run.find(' '));
  if (std::system(("command -v " + launcher + " >/dev/null").c_str()) != 0)
    return launcher + " is not installed";
  return fs::exists(examples + "/halo2d") ? "" : "the examples are not built for " + name;
}

const Mpi& openmpi() {
  static const Mpi mpi{"openmpi", "mpirun.openmpi --oversubscribe -np", APMT_EXAMPLES "/openmpi"};
  return mpi;
}

const Mpi& mpich() {
  static const Mpi mpi{"mpich", "mpiexec.mpich -n", APMT_EXAMPLES "/mpich"};
  return mpi;
}

}  // namespace apmt::testing
