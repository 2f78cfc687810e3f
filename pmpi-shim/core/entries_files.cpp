#include "pmpi-shim/core/entry.h"
#include "pmpi-shim/core/files.h"

namespace apmt::shim {
#include "pmpi-shim/calls/files.def"
}  // namespace apmt::shim
