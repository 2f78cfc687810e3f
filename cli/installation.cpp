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
fs::path compilers_dir() {
  return beside_command("../" APMT_COMPILERS_DIR, "the compiler wrappers");
}
fs::path kernels_dir() {
  const fs::path folder = library_dir() / "apmt";
  if (!fs::exists(folder / "libapmt-kernels-pass.so"))
    throw InputError(folder.string(), "this build of apmt has no pass for kernels",
                     "install llvm-19-dev, clang-19 and flang-19, and build apmt again with "
                     "-DAPMT_KERNELS=ON",
                     ExitCode::kFailed);
  return folder;
}
fs::path opencl_plugin() {
  const fs::path plugin = library_dir() / "apmt" / "libapmt-oclgrind.so";
  if (!fs::exists(plugin))
    throw InputError(
        plugin.string(), "this build of apmt has no plugin for Oclgrind",
        "install oclgrind, liboclgrind-dev, llvm-14-dev and opencl-c-headers, and build apmt again",
        ExitCode::kFailed);
  return plugin;
}
fs::path probes_dir() {
  return beside_command("../" APMT_PROBES_DIR, "sources of small MPI programs");
}

fs::path full_program_path() {
  const fs::path command = fs::read_symlink("/proc/self/exe");
  return (command.parent_path() / "../" APMT_FULL_PROGRAM).lexically_normal();
}

fs::path machine_profile(const std::string& file_or_name) {
  return named_file(file_or_name, configs_dir(), {"machines"}, "machine profile");
}

}  // namespace apmt
