// Writes a file under a temporary name in its folder, syncs it and renames it, so that readers see
// either the complete new file or the old one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace apmt {

/// If this fails, the old file is unchanged. Throws InputError with the path and the system's
/// reason.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// The whole file. Throws InputError when it cannot be read or is larger than `max_bytes`.
std::string read_whole_file(const std::filesystem::path& path,
                            std::size_t max_bytes = std::size_t{1} << 30);

}  // namespace apmt
