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

/// A compiler of a CMake build tree that is not in `compilers`, the folder of the instrumenting
/// compilers. nullopt: all compilers are in that folder or are MPI wrappers, the tree is not
/// configured yet, or the command configures it anew (cmake --fresh).
std::optional<std::string> other_compiler(const std::vector<std::string>& command,
                                          const std::filesystem::path& here,
                                          const std::filesystem::path& compilers);

}  // namespace apmt
