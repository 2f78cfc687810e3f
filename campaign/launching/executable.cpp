#include "campaign/launching/executable.h"

#include <sys/stat.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "base/search_path.h"
#include "machine/subprocess.h"
#include "profiler/reader/object_file.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

/// The launcher that a script is assumed to call.
constexpr const char* kUsualLauncher = "mpirun";

Executable inspect(const fs::path& path) {
  const ObjectFile object = read_object_file(path);
  struct stat info {};
  const bool is_privileged =
      ::stat(path.c_str(), &info) == 0 && (info.st_mode & (S_ISUID | S_ISGID)) != 0;
  return {path, object.is_program_code, object.loader, is_privileged};
}

/// What a short, trusted command (ldd) prints on stdout and stderr.
std::string output_of(std::vector<std::string> words) {
  Command command;
  command.words = std::move(words);
  return run_command(command).output;
}

/// The list of libraries that a program loads. It comes from the loader itself, because ldd is a
/// script that starts nine processes. Only files without a loader need ldd: programs for SMPI are
/// libraries, which SMPI's launcher loads.
std::string libraries_of(const Executable& executable) {
  const std::string path = executable.path.string();
  return executable.loader.empty() ? output_of({"ldd", path})
                                   : output_of({executable.loader, "--list", path});
}

/// The name of the Fortran library ("libgfortran.so.5") that the program itself names; empty if it
/// names none. The loader's list does not show this, because libsimgrid needs the library, too.
std::string fortran_library_of(const fs::path& program) {
  std::ifstream file(program, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  constexpr std::string_view kName("\0libgfortran.so", 15);
  const std::size_t found = bytes.find(kName);
  return found == std::string::npos ? std::string() : std::string(bytes.c_str() + found + 1);
}

MpiFamily family_of_launcher(const std::string& word) {
  if (fs::path(word).filename() == "smpirun") return MpiFamily::kSmpi;
  return family_in_words(ask_version(word).output);
}

/// True for programs that only start another program, and for shells, which may start any.
bool only_starts_others(const fs::path& program) {
  static const std::set<std::string> names = {
      "bash",   "chrt",    "csh",   "dash",    "env",     "hwloc-bind", "ionice",
      "ksh",    "nice",    "nohup", "numactl", "setarch", "setsid",     "sh",
      "stdbuf", "taskset", "tcsh",  "time",    "timeout", "zsh"};
  return names.contains(program.filename().string());
}

}  // namespace

std::optional<Executable> find_executable(const std::string& word) {
  if (word.find('/') != std::string::npos)
    return is_program(word) ? std::optional(inspect(word)) : std::nullopt;
  const fs::path found = find_in_path(word, program_search_path());
  return found.empty() ? std::nullopt : std::optional(inspect(found));
}

bool is_launcher_name(const std::string& word) {
  const std::string name = fs::path(word).filename().string();
  for (const char* launcher : {"mpirun", "mpiexec", "orterun", "prterun", "prun", "srun", "aprun",
                               "jsrun", "ibrun", "flux", "smpirun"})
    if (name == launcher || name.starts_with(std::string(launcher) + ".")) return true;
  return false;
}

bool starts_with_launcher(const std::vector<std::string>& command) {
  return !command.empty() && is_launcher_name(command.front());
}

bool starts_a_launcher(const std::vector<std::string>& command) {
  for (const std::string& word : command) {
    if (is_launcher_name(word)) return true;
    const auto executable = word.starts_with('-') ? std::nullopt : find_executable(word);
    if (executable && executable->is_elf && !only_starts_others(executable->path)) return false;
  }
  return false;
}

Target target_of(const std::vector<std::string>& command) {
  const bool launched = starts_with_launcher(command);
  Target target;
  for (std::size_t i = launched ? 1 : 0; i < command.size(); ++i) {
    if (command[i].empty() || command[i][0] == '-') continue;
    const auto executable = find_executable(command[i]);
    if (!executable) continue;
    if (!executable->is_elf || only_starts_others(executable->path)) {
      if (!target.program && !target.starter) target.starter = executable;
      continue;
    }
    if (!target.program) target.program = executable;
    const std::string libraries = libraries_of(*executable);
    target.needs_asan = libraries.find("libasan.so") != std::string::npos;
    target.family = family_in_libraries(libraries);
    if (target.family == MpiFamily::kSmpi)
      target.fortran_library = fortran_library_of(executable->path);
    if (target.family != MpiFamily::kNone) {
      target.program = executable;
      return target;
    }
  }
  if (launched)
    target.family = family_of_launcher(command.front());
  else if (!target.program && target.starter && find_executable(kUsualLauncher))
    target.family = family_of_launcher(kUsualLauncher);
  return target;
}

std::string why_not_recorded(const Target& target, const std::vector<std::string>& command) {
  for (const std::string& word : command)
    if (word.starts_with("LD_PRELOAD="))
      return "'" + word + "' in the command takes the place of libapmt-" +
             to_string(target.family) + ".so: add it there, behind a colon, or leave the word out";
  if (!target.program && target.starter)
    return target.starter->path.string() +
           " starts programs, and the command does not say which: put apmt before the program or "
           "its launcher, inside the script";
  if (!target.program) return "the command contains no program that exists";
  const std::string path = target.program->path.string();
  if (target.program->is_static())
    return path + " is linked statically: no library can be loaded into it; link it dynamically";
  if (target.program->is_privileged)
    return path + " is setuid or setgid: LD_PRELOAD has no effect on it; run a plain copy";
  if (target.needs_asan)
    return path +
           " is built with AddressSanitizer, which does not start behind a preloaded library: "
           "set ASAN_OPTIONS=verify_asan_link_order=0";
  return path + " did not reach MPI_Init with libapmt-" + to_string(target.family) +
         ".so loaded, or its launcher does not pass LD_PRELOAD on";
}

}  // namespace apmt
