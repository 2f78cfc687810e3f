// A file appears complete or not at all: it is written beside its place, synced and renamed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace apmt {

/// Throws InputError naming the path and the system's reason; the old file is untouched then.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// The whole file. Throws InputError when it cannot be read or is larger than `max_bytes`.
std::string read_whole_file(const std::filesystem::path& path,
                            std::size_t max_bytes = std::size_t{1} << 30);

}  // namespace apmt
