// Records synchronising collectives call by call. All participating ranks compute the same key for
// a call, without communication.
#pragma once

#include "pmpi-shim/core/ops.h"
#include "pmpi-shim/core/traffic.h"

namespace apmt::shim {

/// To be called when a blocking synchronising collective has returned.
void note_instance(const Traffic& t, Op op);

/// Hash of the members' world ranks, in order; 0 if a member's world rank is not known, because the
/// member belongs to another job or because there was no room for the table of world ranks.
uint64_t hash_of_members(const Members& m);
/// Counts the communicators with the same `kind`, a hash of what they have in common. Returns how
/// many there are so far, including the present one; 0 if the table of counts is full.
uint64_t next_sibling(uint64_t kind);

}  // namespace apmt::shim
