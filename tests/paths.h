// The paths of the sources and the build. Only paths.cpp is compiled with them, so that one
// compiler cache serves the tests of every copy of the sources.
#pragma once

#include <string>

namespace apmt {

std::string source_dir();
std::string build_dir();

}  // namespace apmt
