// Records synchronising collectives call by call, under a key that all participating ranks compute
// equally without communication.
#pragma once

#include "pmpi-shim/core/ops.h"
#include "pmpi-shim/core/traffic.h"

namespace apmt::shim {

/// To be called when a blocking call of such a collective has returned.
void note_instance(const Traffic& t, Op op);

/// World ranks in order. 0 if one is not known: from another job, or without a table.
uint64_t hash_of_members(const Members& m);
/// The number of communicators of this kind so far, including this one; 0: the table of counts is
/// full.
uint64_t next_sibling(uint64_t kind);

}  // namespace apmt::shim
