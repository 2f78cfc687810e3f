// What a compiler is told so that it instruments kernels: the user's arguments in, clang's or
// flang's out. Pure functions: they start nothing and read no file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace apmt {

enum class Language { kC, kCxx, kFortran };

/// What is given to the compiler beside the user's own arguments.
struct Instrumentation {
  std::filesystem::path plugin;       // the pass that instruments
  std::filesystem::path runtime_dir;  // holds libapmt-kernels.so
};

/// An argument that is left out, and why.
struct DroppedArgument {
  std::string argument;
  std::string reason;
  bool operator==(const DroppedArgument&) const = default;
};

struct CompilerCommand {
  std::vector<std::string> arguments;
  std::vector<DroppedArgument> dropped;
  /// The user asked for no optimisation. clang is given -O1 then, because at -O0 it writes other
  /// code; the pass keeps it from replacing calls of library functions.
  bool keeps_library_calls = false;
};

/// Arguments that the compiler does not know, from what it printed when it was asked with -###.
std::vector<std::string> unknown_arguments(const std::string& messages);

/// The user's arguments without those that would keep the pass from working, in clang's spelling.
CompilerCommand translated(Language language, const std::vector<std::string>& arguments);

/// Leaves out what the compiler said it does not know.
void drop_unknown(CompilerCommand* command, const std::vector<std::string>& unknown);

/// Adds the pass and, where a program or library is linked, the runtime.
void instrument(CompilerCommand* command, Language language, const Instrumentation& with);

/// Whether anything is compiled or linked: `gcc --version` and `gcc -print-...` only ask.
bool has_input(const std::vector<std::string>& arguments);

/// Whether a program or a shared library is linked.
bool links(const std::vector<std::string>& arguments);

}  // namespace apmt
