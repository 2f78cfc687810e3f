#include "pmpi-shim/core/neighbours.h"

#include "pmpi-shim/core/entry.h"

namespace apmt::shim {
#include "pmpi-shim/calls/neighbours.def"
}  // namespace apmt::shim
