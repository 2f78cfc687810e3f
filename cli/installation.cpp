#include "cli/installation.h"

#include "base/input_error.h"
#include "machine/named_file.h"

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

fs::path machine_profile(const std::string& file_or_name) {
  return named_file(file_or_name, configs_dir(), {"machines"}, "machine profile");
}

}  // namespace apmt
