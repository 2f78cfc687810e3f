// Synchronising collectives call by call, under a key on which all ranks that take part agree
// without communication.
#pragma once

#include "pmpi-shim/core/ops.h"
#include "pmpi-shim/core/traffic.h"

namespace apmt::shim {

/// A blocking call of such a collective has returned.
void note_instance(const Traffic& t, Op op);

/// World ranks in their order. 0 when one is not known: of another job, or without a table.
uint64_t hash_of_members(const Members& m);
/// How many there have been of a kind, this one included; 0: no room to count.
uint64_t next_sibling(uint64_t kind);

}  // namespace apmt::shim
