// The paths of the installed files that the command needs. They are relative to the command itself,
// so that the installation can be moved.
#pragma once

#include <filesystem>
#include <string>

namespace apmt {

std::filesystem::path library_dir();  // libapmt-*.so
std::filesystem::path configs_dir();  // laws.yaml and the other data
std::filesystem::path compilers_dir();  // wrappers for builds, under the names of compilers
std::filesystem::path kernels_dir();    // the pass and the runtime of apmt analyze
std::filesystem::path opencl_plugin();  // of apmt analyze, for Oclgrind
std::filesystem::path probes_dir();   // sources of small MPI programs for the user's compilers

/// The path of a machine profile: the file itself, or that of a machine named in configs/machines.
/// Throws InputError if there is neither.
std::filesystem::path machine_profile(const std::string& file_or_name);

}  // namespace apmt
