#include "pmpi-shim/core/lifecycle.h"

#include "pmpi-shim/core/entry.h"

namespace apmt::shim {
#include "pmpi-shim/calls/environment.def"
}  // namespace apmt::shim
