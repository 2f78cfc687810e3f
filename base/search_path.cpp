#include "base/search_path.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace apmt {

std::string program_search_path() {
  const char* path = std::getenv("PATH");
  return path == nullptr ? "/usr/bin:/bin" : path;
}

bool is_program(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

std::filesystem::path find_in_path(const std::string& name, const std::string& search_path) {
  for (std::size_t at = 0; at <= search_path.size();) {
    const std::size_t end = std::min(search_path.find(':', at), search_path.size());
    const std::filesystem::path candidate =
        std::filesystem::path(search_path.substr(at, end - at)) / name;
    if (is_program(candidate)) return candidate;
    at = end + 1;
  }
  return {};
}

}  // namespace apmt
