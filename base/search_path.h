// Finds programs by their names.
#pragma once

#include <filesystem>
#include <string>

namespace apmt {

/// PATH, or the system's default where PATH is not set.
std::string program_search_path();

/// The first program of that name in `search_path` ("/usr/bin:/bin"); empty when there is none.
std::filesystem::path find_in_path(const std::string& name, const std::string& search_path);

/// Whether the path is an executable file.
bool is_program(const std::filesystem::path& path);

}  // namespace apmt
