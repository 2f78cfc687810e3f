// How a build finds the instrumenting compilers: through a folder with programs of the usual names
// at the front of PATH, and through the variables that tell MPI's compiler wrappers which compiler
// to call.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "kernels/compile/compiler_command.h"

namespace apmt {

/// Environment variables for a build with the compilers in `folder`; `search_path` is the user's
/// PATH.
std::map<std::string, std::string> build_environment(const std::filesystem::path& folder,
                                                     const std::string& search_path);

/// The program that compiles a language: clang-19, clang++-19, flang-new-19.
std::string compiler_program(Language language);

}  // namespace apmt
