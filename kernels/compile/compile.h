// One call of a compiler, instrumenting.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "kernels/compile/compiler_command.h"

namespace apmt {

/// Says what was left out of a command, each argument once for a whole build where the build has
/// given a folder (kSaidVariable) to remember it in.
inline constexpr const char* kSaidVariable = "APMT_ANALYZE_SAID";
using OnDropped = std::function<void(const DroppedArgument&)>;

/// Replaces this process by clang-19 or flang-19. Throws InputError where it is not installed, or
/// where a source cannot be compiled by it.
[[noreturn]] void compile(Language language, const std::vector<std::string>& arguments,
                          const Instrumentation& with, const OnDropped& on_dropped);

}  // namespace apmt
