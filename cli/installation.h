// Where the installed tree keeps what the command needs, found from the command's own place, so
// that the tree may stand anywhere.
#pragma once

#include <filesystem>

namespace apmt {

std::filesystem::path library_dir();  // libapmt-*.so
std::filesystem::path configs_dir();  // laws.yaml and the other data

}  // namespace apmt
