#include "pmpi-shim/core/collectives.h"
#include "pmpi-shim/core/entry.h"

namespace apmt::shim {
#include "pmpi-shim/calls/collectives.def"
}  // namespace apmt::shim
