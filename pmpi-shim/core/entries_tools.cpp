#include "pmpi-shim/core/plans.h"

#include "pmpi-shim/core/entry.h"

namespace apmt::shim {
#include "pmpi-shim/calls/tools.def"
}  // namespace apmt::shim
