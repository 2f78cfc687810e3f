// Finds the installed files that the command needs. They are found relative to the executable, so
// that the installation can be moved.
#pragma once

#include <filesystem>
#include <string>

namespace apmt {

std::filesystem::path library_dir();    // libapmt-*.so
std::filesystem::path configs_dir();    // laws.yaml and the other data
std::filesystem::path compilers_dir();  // wrappers of apmt analyze, named like compilers
std::filesystem::path kernels_dir();    // compiler pass and runtime library of apmt analyze
std::filesystem::path opencl_plugin();  // plugin of apmt analyze for Oclgrind
std::filesystem::path probes_dir();  // sources of small MPI programs, compiled with the user's MPI

/// The program with all verbs. It may be missing: demos and small installations do not have it.
std::filesystem::path full_program_path();

/// The path of a machine profile that is given as a file or as the name of a machine in
/// configs/machines. Throws InputError if there is no such file and no such machine.
std::filesystem::path machine_profile(const std::string& file_or_name);

}  // namespace apmt
