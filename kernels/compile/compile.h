// Runs clang-19 or flang-19 with instrumentation, in place of the user's compiler.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "kernels/compile/compiler_command.h"

namespace apmt {

/// OnDropped is called for each argument that is not passed on to the compiler. kSaidVariable is
/// the name of an environment variable: if it is set to a folder, these arguments are recorded
/// there, so that each of them is reported only once in a whole build.
inline constexpr const char* kSaidVariable = "APMT_ANALYZE_SAID";
using OnDropped = std::function<void(const DroppedArgument&)>;

/// Replaces this process by clang-19 or flang-19. Throws InputError if the compiler is not
/// installed or cannot compile a source file.
[[noreturn]] void compile(Language language, const std::vector<std::string>& arguments,
                          const Instrumentation& with, const OnDropped& on_dropped);

}  // namespace apmt
