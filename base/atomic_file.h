// Reads whole files, and writes files atomically: a file is written under a temporary name in its
// folder, synced and renamed, so that readers see either the complete new file or the old one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace apmt {

/// Replaces the file at `path`, or the one that a symbolic link there names. On failure, the old
/// file stays unchanged, and an InputError with the path and the system's error message is thrown.
/// A device or a pipe is not replaced, but written to.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// Returns the whole file. Throws InputError if it cannot be read or is larger than `max_bytes`.
std::string read_whole_file(const std::filesystem::path& path,
                            std::size_t max_bytes = std::size_t{1} << 30);

}  // namespace apmt
