#include "kernels/compile/build_tree.h"

#include <fstream>
#include <string_view>

namespace apmt {
namespace {

namespace fs = std::filesystem;

/// CMAKE_C_COMPILER:FILEPATH=/usr/bin/cc
std::optional<std::string> compiler_in(const std::string& line) {
  for (const std::string_view language : {"C", "CXX", "Fortran"}) {
    const std::string name = "CMAKE_" + std::string(language) + "_COMPILER:";
    const std::size_t value = line.find('=');
    if (line.starts_with(name) && value != std::string::npos) return line.substr(value + 1);
  }
  return std::nullopt;
}

}  // namespace

fs::path build_folder(const std::vector<std::string>& command, const fs::path& here) {
  for (std::size_t i = 1; i < command.size(); ++i) {
    if ((command[i] == "--build" || command[i] == "-C") && i + 1 < command.size())
      return here / command[i + 1];
    if (command[i].starts_with("-C") && command[i].size() > 2) return here / command[i].substr(2);
  }
  return here;
}

std::optional<std::string> other_compiler(const std::vector<std::string>& command,
                                          const fs::path& here, const fs::path& compilers) {
  std::ifstream cache(build_folder(command, here) / "CMakeCache.txt");
  for (std::string line; std::getline(cache, line);)
    if (const std::optional<std::string> compiler = compiler_in(line))
      if (fs::path(*compiler).parent_path() != compilers &&
          !fs::path(*compiler).filename().string().starts_with("mpi"))
        return compiler;
  return std::nullopt;
}

}  // namespace apmt
