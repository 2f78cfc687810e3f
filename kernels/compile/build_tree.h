// Finds the compiler of a CMake build tree: CMake keeps the compiler that the tree was configured
// with, even if PATH changes later.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace apmt {

/// The folder in which a build command works: the argument of `cmake --build`, `cmake -B`,
/// `make -C` or `ninja -C`, else `here`.
std::filesystem::path build_folder(const std::vector<std::string>& command,
                                   const std::filesystem::path& here);

/// The compiler of a CMake build tree, if it is not in the folder `compilers`. nullopt: the
/// compiler is in that folder or is an MPI wrapper, the tree is not configured yet, or the command
/// configures it anew (cmake --fresh).
std::optional<std::string> other_compiler(const std::vector<std::string>& command,
                                          const std::filesystem::path& here,
                                          const std::filesystem::path& compilers);

}  // namespace apmt
