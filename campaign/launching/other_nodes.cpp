#include "campaign/launching/other_nodes.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "profiler/launcher_environment.h"

namespace apmt {
namespace {

using Words = std::vector<std::string>;

bool is_launcher(const std::string& word) {
  return is_open_mpi_launcher(std::filesystem::path(word).filename().c_str());
}

/// The first option -x of Open MPI's launcher; the end if there is none. The options end with the
/// program, and begin again after a colon.
Words::iterator first_export(const Target& target, Words* command) {
  const auto& program = target.program ? target.program : target.starter;
  bool is_option = true;
  for (auto word = std::ranges::find_if(*command, is_launcher); word != command->end(); ++word) {
    if (is_option && *word == "-x") return word;
    const auto executable =
        !is_option || word->starts_with('-') ? std::nullopt : find_executable(*word);
    if (*word == ":")
      is_option = true;
    else if (executable && program && executable->path == program->path)
      is_option = false;
  }
  return command->end();
}

}  // namespace

void forward_to_nodes(std::map<std::string, std::string>* variables, const Target& target,
                      Words* command) {
  if (const auto at = first_export(target, command); at != command->end()) {
    Words options;
    for (const auto& [name, value] : *variables) options.insert(options.end(), {"-x", name});
    command->insert(at, options.begin(), options.end());
    return;
  }
  const char* const users = std::getenv(kOpenMpiExports);
  std::string names = users == nullptr ? "" : users;
  for (const auto& [name, value] : *variables) names += (names.empty() ? "" : ";") + name;
  (*variables)[kOpenMpiExports] = names;
  if (std::ranges::none_of(*command, is_launcher)) (*variables)[kLauncherInScript] = "1";
}

}  // namespace apmt
