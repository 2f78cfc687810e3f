// Records synchronising collectives call by call. All participating ranks compute the same key for
// a call, without communication.
#pragma once

#include "pmpi-shim/core/ops.h"
#include "pmpi-shim/core/traffic.h"

namespace apmt::shim {

/// To be called when a blocking call of such a collective has returned.
void note_instance(const Traffic& t, Op op);

/// Hash of the members' world ranks, in order; 0 if one is not known: another job, or no table.
uint64_t hash_of_members(const Members& m);
/// The number of communicators of this kind so far, including this one; 0: the table of counts is
/// full.
uint64_t next_sibling(uint64_t kind);

}  // namespace apmt::shim
