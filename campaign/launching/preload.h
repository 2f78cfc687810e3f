// The loader splits LD_PRELOAD at blanks and colons. A library whose path has one of these is
// preloaded through a link whose path has none.
#pragma once

#include <filesystem>
#include <string>

namespace apmt {

/// The library itself, or a link to it. The link is made in the experiment, which other nodes see
/// as well, or else in the temporary folder. Throws InputError where no path without blanks is
/// possible.
std::string preloadable(const std::filesystem::path& library,
                        const std::filesystem::path& experiment);

}  // namespace apmt
