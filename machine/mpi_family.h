// Which MPI something belongs to, by what it says of itself.
#pragma once

#include <string>

namespace apmt {

enum class MpiFamily { kNone, kOpenMpi, kMpich, kSmpi };

/// "serial", "openmpi", "mpich", "smpi": as in libapmt-<family>.so.
std::string to_string(MpiFamily family);

/// By what a launcher or a compiler wrapper prints about its version and its options.
MpiFamily family_in_words(const std::string& printed);

/// By a list of the shared libraries that a program loads.
MpiFamily family_in_libraries(const std::string& libraries);

}  // namespace apmt
