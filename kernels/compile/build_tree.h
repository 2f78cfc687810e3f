// CMake keeps the compiler that a build tree was made with, whatever PATH says later.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace apmt {

/// The folder in which a build command works: that of `cmake --build`, `cmake -B`, `make -C` and
/// `ninja -C`, else `here`.
std::filesystem::path build_folder(const std::vector<std::string>& command,
                                   const std::filesystem::path& here);

/// The compiler that a CMake build tree was configured with, where it is none of `compilers`;
/// nothing where the folder is no such tree yet, or where `cmake --fresh` forgets the compiler.
std::optional<std::string> other_compiler(const std::vector<std::string>& command,
                                          const std::filesystem::path& here,
                                          const std::filesystem::path& compilers);

}  // namespace apmt
