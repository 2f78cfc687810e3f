#include "pmpi-shim/core/entry.h"
#include "pmpi-shim/core/plans.h"

namespace apmt::shim {
#include "pmpi-shim/calls/tools.def"
}  // namespace apmt::shim
