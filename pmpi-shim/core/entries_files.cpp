#include "pmpi-shim/core/files.h"

#include "pmpi-shim/core/entry.h"

namespace apmt::shim {
#include "pmpi-shim/calls/files.def"
}  // namespace apmt::shim
