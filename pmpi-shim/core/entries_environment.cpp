#include "pmpi-shim/core/entry.h"
#include "pmpi-shim/core/lifecycle.h"

namespace apmt::shim {
#include "pmpi-shim/calls/environment.def"
}  // namespace apmt::shim
