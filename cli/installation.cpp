#include "cli/installation.h"

#include <set>
#include <string>

#include "base/input_error.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

fs::path beside_command(const char* relative, const char* what) {
  const fs::path command = fs::read_symlink("/proc/self/exe");
  const fs::path wanted = (command.parent_path() / relative).lexically_normal();
  if (!fs::is_directory(wanted))
    throw InputError(wanted.string(), std::string("not there; expected ") + what,
                     "the installation is incomplete: run cmake --install again",
                     ExitCode::kFailed);
  return wanted;
}

}  // namespace

fs::path library_dir() { return beside_command("../" APMT_LIBRARY_DIR, "libapmt-*.so"); }
fs::path configs_dir() { return beside_command("../" APMT_CONFIGS_DIR, "the configuration data"); }
fs::path probes_dir() {
  return beside_command("../" APMT_PROBES_DIR, "sources of small MPI programs");
}

fs::path machine_profile(const fs::path& file_or_name) {
  if (fs::exists(file_or_name)) return file_or_name;
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(configs_dir() / "machines")) {
    names.insert(entry.path().stem().string());
    if (entry.path().stem() == file_or_name) return entry.path();
  }
  std::string known;
  for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
  throw InputError(file_or_name.string(), "no such machine profile",
                   "a file of apmt calibrate, or one of: " + known);
}

}  // namespace apmt
