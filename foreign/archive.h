// Reads files within files: members of tar and zip archives, and compressed bytes.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace apmt {

/// The regular files of a tar archive, by name. Throws InputError if a file is cut off.
std::map<std::string, std::string_view> tar_members(std::string_view archive,
                                                    const std::string& file);

/// The first member of a zip archive whose name ends with `ending`, unpacked. Throws InputError if
/// there is none.
std::string zip_member(std::string_view archive, const std::string& ending,
                       const std::string& file);

constexpr std::size_t kMostBytes = std::size_t{1} << 30;  // largest size of unpacked data

/// Unpacks bytes of gzip or zlib. Throws InputError if they are neither, or unpack to more than
/// `most` bytes.
std::string unpacked(std::string_view bytes, const std::string& file,
                     std::size_t most = kMostBytes);

}  // namespace apmt
