// The folders of the sources and of the build. Only paths.cpp is compiled with these paths as
// macros; all other files compile alike in every checkout, so that they can share a compiler cache.
#pragma once

#include <string>

namespace apmt {

std::string source_dir();
std::string build_dir();

}  // namespace apmt
