#include "pmpi-shim/core/entry.h"
#include "pmpi-shim/core/handles.h"

namespace apmt::shim {
#include "pmpi-shim/calls/datatypes.def"
}  // namespace apmt::shim
