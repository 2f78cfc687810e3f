// Runs a compiler that instruments.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "kernels/compile/compiler_command.h"

namespace apmt {

/// Called for each argument that was left out. If kSaidVariable names a folder to remember them in,
/// each argument is reported only once in a whole build.
inline constexpr const char* kSaidVariable = "APMT_ANALYZE_SAID";
using OnDropped = std::function<void(const DroppedArgument&)>;

/// Replaces this process by clang-19 or flang-19. Throws InputError if the compiler is not
/// installed or cannot compile a source.
[[noreturn]] void compile(Language language, const std::vector<std::string>& arguments,
                          const Instrumentation& with, const OnDropped& on_dropped);

}  // namespace apmt
