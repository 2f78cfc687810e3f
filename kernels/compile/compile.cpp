#include "kernels/compile/compile.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <map>

#include "base/input_error.h"
#include "base/search_path.h"
#include "kernels/compile/compiler_names.h"
#include "kernels/compile/fortran_modules.h"
#include "machine/child_process.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

std::string installed_compiler(Language language) {
  const std::string name = compiler_program(language);
  const fs::path program = find_in_path(name, program_search_path());
  if (program.empty())
    throw InputError(name, "not installed",
                     language == Language::kFortran ? "apt-get install flang-19 libomp-19-dev"
                                                    : "apt-get install clang-19 libomp-19-dev",
                     ExitCode::kFailed);
  return program.string();
}

/// The output of a dry run of the compiler (-###).
std::string messages_of(std::vector<std::string> words) {
  words.insert(words.begin() + 1, "-###");
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  ChildSetup setup;
  setup.own_group = false;
  setup.errors = ends[1];
  setup.output = ends[1];
  const pid_t child = start_child(setup, [&] { replace_by(words, {}); });
  ::close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return text;
}

/// Whether this argument has not been reported in this build before.
bool is_new(const std::string& argument) {
  const char* folder = std::getenv(kSaidVariable);
  if (!folder) return true;
  std::string name = argument;
  for (char& c : name)
    if (c == '/') c = '_';
  const int file =
      ::open((fs::path(folder) / name).c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (file >= 0) ::close(file);
  return file >= 0 || errno != EEXIST;
}

void refuse_foreign_module(const std::vector<std::string>& arguments) {
  const auto module = foreign_module(arguments);
  if (!module) return;
  const bool is_mpi = module->name.starts_with("mpi");
  throw InputError(module->source.string(),
                   "uses module " + module->name + ", which gfortran wrote (" +
                       module->file.string() + "); flang-19 cannot read it",
                   is_mpi
                       ? "use include 'mpif.h' instead, which works with every compiler"
                       : "build in a fresh tree, without files of another compiler (make clean)");
}

}  // namespace

void compile(Language language, const std::vector<std::string>& arguments,
             const Instrumentation& with, const OnDropped& on_dropped) {
  CompilerCommand command = translated(language, arguments);
  std::vector<std::string> words = {installed_compiler(language)};
  if (!has_input(arguments)) {  // the build only asks for the version or a path
    words.insert(words.end(), arguments.begin(), arguments.end());
    replace_by(words, {});
  }
  if (language == Language::kFortran) refuse_foreign_module(arguments);
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  drop_unknown(&command, unknown_arguments(messages_of(words)));
  instrument(&command, language, with);
  for (const DroppedArgument& dropped : command.dropped)
    if (is_new(dropped.argument)) on_dropped(dropped);
  words.resize(1);
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  std::map<std::string, std::string> environment;
  if (command.keeps_library_calls) environment["APMT_KEEP_LIBRARY_CALLS"] = "1";
  replace_by(words, environment);
}

}  // namespace apmt
