// Messages for a folder that was given instead of a file: they name the measurements in it.
#pragma once

#include <filesystem>

namespace apmt {

/// Throws InputError: this is a folder, and apmt import reads files. The hint names the files in it
/// and in its subfolders that can be imported. If there are none, the message names a file in a
/// format that is not read (foreign_other_formats.h) and what converts it.
[[noreturn]] void refuse_folder(const std::filesystem::path& folder);

}  // namespace apmt
