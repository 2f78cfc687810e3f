#include "pmpi-shim/core/entry.h"
#include "pmpi-shim/core/neighbours.h"

namespace apmt::shim {
#include "pmpi-shim/calls/neighbours.def"
}  // namespace apmt::shim
