#include "pmpi-shim/core/completion.h"
#include "pmpi-shim/core/entry.h"

namespace apmt::shim {
#include "pmpi-shim/calls/completion.def"
}  // namespace apmt::shim
