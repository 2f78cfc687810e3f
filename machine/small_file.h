// Reads files of /proc and /sys, which are small and often absent.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace apmt {

/// The content of the file without the final newline; absent when it cannot be read.
std::optional<std::string> read_small_file(const std::filesystem::path& path);

/// The whole number in the file; absent when there is none.
std::optional<long long> read_small_number(const std::filesystem::path& path);

}  // namespace apmt
