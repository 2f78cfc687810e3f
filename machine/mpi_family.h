// Which MPI a program or command belongs to.
#pragma once

#include <string>

namespace apmt {

enum class MpiFamily { kNone, kOpenMpi, kMpich, kSmpi };

/// "serial" (for kNone), "openmpi", "mpich", "smpi": as in libapmt-<family>.so.
std::string to_string(MpiFamily family);

/// The family, from what a launcher or compiler wrapper prints about its version and options.
MpiFamily family_in_words(const std::string& printed);

/// The family, from a list of the shared libraries that a program loads.
MpiFamily family_in_libraries(const std::string& libraries);

}  // namespace apmt
