// Error messages for a folder that was given to apmt import instead of a file. They name the files
// in it that can be imported.
#pragma once

#include <filesystem>

namespace apmt {

/// Throws InputError, because apmt import reads files. The hint names the files in the folder and
/// its subfolders that can be imported. If there are none, the message names a file in a format
/// that is not read (foreign/other_formats.h) and what converts it.
[[noreturn]] void refuse_folder(const std::filesystem::path& folder);

}  // namespace apmt
