// Which MPI a program or command belongs to.
#pragma once

#include <string>

#include "machine/subprocess.h"

namespace apmt {

enum class MpiFamily { kNone, kOpenMpi, kMpich, kSmpi };

/// "serial" (for kNone), "openmpi", "mpich", "smpi": as in libapmt-<family>.so.
std::string to_string(MpiFamily family);

/// The family, from what a launcher or compiler wrapper prints about its version and options.
MpiFamily family_in_words(const std::string& printed);

/// Time limit for --version. It is long, because the first start may load a large installation over
/// a network.
inline constexpr int kVersionWithin_s = 30;
/// Runs `launcher --version`.
Finished ask_version(const std::string& launcher);

/// The family, from a list of the shared libraries that a program loads.
MpiFamily family_in_libraries(const std::string& libraries);

}  // namespace apmt
