#include "pmpi-shim/core/entry.h"
#include "pmpi-shim/core/point_to_point.h"

namespace apmt::shim {
#include "pmpi-shim/calls/point_to_point.def"
}  // namespace apmt::shim
