// CMake keeps the compiler that a build tree was made with, whatever PATH says later.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace apmt {

/// The folder in which a build command works: that of `cmake --build`, `make -C`, `ninja -C`, else
/// `here`.
std::filesystem::path build_folder(const std::vector<std::string>& command,
                                   const std::filesystem::path& here);

/// If the build folder of `command` is a CMake tree that was configured with a compiler from
/// outside the folder `compilers`, that compiler. nullopt for other folders, for wrappers of MPI,
/// and for a tree that `command` itself configures.
std::optional<std::string> other_compiler(const std::vector<std::string>& command,
                                          const std::filesystem::path& here,
                                          const std::filesystem::path& compilers);

}  // namespace apmt
