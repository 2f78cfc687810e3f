// Where the sources and the build are. Only paths.cpp is compiled with these paths, so that a
// compiler cache serves the tests of every copy of the sources.
#pragma once

#include <string>

namespace apmt {

std::string source_dir();
std::string build_dir();

}  // namespace apmt
