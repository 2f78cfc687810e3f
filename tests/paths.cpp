#include "tests/paths.h"

namespace apmt {

std::string source_dir() { return APMT_SOURCE_DIR; }
std::string build_dir() { return APMT_BUILD_DIR; }

}  // namespace apmt
