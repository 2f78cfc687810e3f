// Translates the user's compiler arguments into arguments for an instrumenting clang or flang. The
// functions start no process and read no file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace apmt {

enum class Language { kC, kCxx, kFortran };

/// What the compiler needs in addition to the user's arguments.
struct Instrumentation {
  std::filesystem::path plugin;       // the pass that instruments
  std::filesystem::path runtime_dir;  // holds libapmt-kernels.so
};

/// An argument that is left out, with the reason.
struct DroppedArgument {
  std::string argument;
  std::string reason;
  bool operator==(const DroppedArgument&) const = default;
};

struct CompilerCommand {
  std::vector<std::string> arguments;
  std::vector<DroppedArgument> dropped;
  /// Whether C or C++ is compiled with -O0 (also if no level is given) or -Og. Then clang gets -O1,
  /// so that the counts are the same at every level. The instrumenting pass then keeps later passes
  /// from replacing calls to library functions, which could change the last digit of a result.
  bool keeps_library_calls = false;
};

/// Arguments that the compiler does not know, from the messages of a dry run (-###).
std::vector<std::string> unknown_arguments(const std::string& messages);

/// The user's arguments in the spelling of clang or flang, without those that would prevent the
/// pass from working.
CompilerCommand translated(Language language, const std::vector<std::string>& arguments);

/// Drops the arguments that the compiler does not know.
void drop_unknown(CompilerCommand* command, const std::vector<std::string>& unknown);

/// Adds the pass and, where a program or library is linked, the runtime.
void instrument(CompilerCommand* command, Language language, const Instrumentation& with);

/// Whether the command compiles or links anything; `gcc --version` and `gcc -print-...` do not.
bool has_input(const std::vector<std::string>& arguments);

/// Whether a program or a shared library is linked.
bool links(const std::vector<std::string>& arguments);

}  // namespace apmt
