// apmt --version: prints the version of apmt and what it was built with.
#pragma once

#include <string>

namespace apmt {

extern const char* const kCommit;  // set at build time (cmake/commit.cmake); empty if unknown

std::string version_text();
std::string version_json();

}  // namespace apmt
