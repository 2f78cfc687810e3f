#include "kernels/compile/build_tree.h"

#include <algorithm>
#include <fstream>
#include <string_view>

namespace apmt {
namespace {

namespace fs = std::filesystem;

/// "/usr/bin/cc" for "CMAKE_C_COMPILER:FILEPATH=/usr/bin/cc".
std::optional<std::string> compiler_in(const std::string& line) {
  for (const std::string_view language : {"C", "CXX", "Fortran"}) {
    const std::string name = "CMAKE_" + std::string(language) + "_COMPILER:";
    const std::size_t value = line.find('=');
    if (line.starts_with(name) && value != std::string::npos) return line.substr(value + 1);
  }
  return std::nullopt;
}

bool is_cmake(const std::vector<std::string>& command) {
  return !command.empty() && fs::path(command.front()).filename() == "cmake";
}

}  // namespace

fs::path build_folder(const std::vector<std::string>& command, const fs::path& here) {
  // CMake's -C names a script, not a folder.
  const std::string option = is_cmake(command) ? "-B" : "-C";
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::string& word = command[i];
    const bool names_folder = word == option || (word == "--build" && is_cmake(command));
    if (names_folder && i + 1 < command.size()) return here / command[i + 1];
    if (word.starts_with(option) && word.size() > option.size())
      return here / word.substr(option.size());
  }
  return here;
}

std::optional<std::string> other_compiler(const std::vector<std::string>& command,
                                          const fs::path& here, const fs::path& compilers) {
  if (is_cmake(command) && std::count(command.begin(), command.end(), "--fresh") > 0)
    return std::nullopt;
  std::ifstream cache(build_folder(command, here) / "CMakeCache.txt");
  for (std::string line; std::getline(cache, line);)
    if (const std::optional<std::string> compiler = compiler_in(line))
      if (fs::path(*compiler).parent_path() != compilers &&
          !fs::path(*compiler).filename().string().starts_with("mpi"))
        return compiler;
  return std::nullopt;
}

}  // namespace apmt
