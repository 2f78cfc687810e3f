// The loader splits LD_PRELOAD at blanks and colons: a library that lies behind such a name is
// named by a link that has none.
#pragma once

#include <filesystem>
#include <string>

namespace apmt {

/// The library itself, or a link to it: in the experiment, which other nodes see as well, else in
/// the temporary folder. Throws InputError where no name without blanks can be made.
std::string preloadable(const std::filesystem::path& library,
                        const std::filesystem::path& experiment);

}  // namespace apmt
