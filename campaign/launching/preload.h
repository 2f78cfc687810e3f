// Makes library paths that LD_PRELOAD can hold. The loader splits LD_PRELOAD at blanks and colons,
// so a library whose path contains such a character is preloaded through a link whose path contains
// none.
#pragma once

#include <filesystem>
#include <string>

namespace apmt {

/// The path of the library, or of a link to it without blanks and colons. The link is made in the
/// experiment, which other nodes see as well, or else in the temporary folder. Throws InputError if
/// no such link can be made.
std::string preloadable(const std::filesystem::path& library,
                        const std::filesystem::path& experiment);

}  // namespace apmt
