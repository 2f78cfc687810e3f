#include "pmpi-shim/core/entry.h"
#include "pmpi-shim/core/handles.h"

namespace apmt::shim {
#include "pmpi-shim/calls/communicators.def"
#include "pmpi-shim/calls/groups.def"
#include "pmpi-shim/calls/processes.def"
}  // namespace apmt::shim
