// Synchronising collectives call by call, under a key on which all ranks that take part agree
// without communication.
#pragma once

#include "pmpi-shim/core/ops.h"
#include "pmpi-shim/core/traffic.h"

namespace apmt::shim {

/// A blocking call of such a collective has returned.
void note_instance(const Traffic& t, Op op);

}  // namespace apmt::shim
