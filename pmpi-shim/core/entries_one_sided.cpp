#include "pmpi-shim/core/entry.h"
#include "pmpi-shim/core/one_sided.h"

namespace apmt::shim {
#include "pmpi-shim/calls/one_sided.def"
}  // namespace apmt::shim
