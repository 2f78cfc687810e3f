// Identifies each communicator by its origin: its parent and its number among the communicators
// made from that parent. All ranks of the communicator compute the same identity without
// communication, because MPI requires that all ranks of the parent create communicators from it in
// the same order.
#pragma once

#include "pmpi-shim/core/handle_table.h"

namespace apmt::shim {

/// Notes MPI_COMM_WORLD, from which other communicators are made.
void note_world_origin(MPI_Comm world);
/// To be called when all ranks of `parent` have made `child` together. In ranks that do not belong
/// to the new communicator, `child` is MPI_COMM_NULL.
void note_child(MPI_Comm parent, MPI_Comm child);
/// To be called for MPI_Comm_create_group, which only the ranks of `child` call.
void note_child_of_group(MPI_Comm parent, MPI_Comm child, int tag);
void forget_origin(MPI_Comm comm);

/// A number that is the same on all ranks of the communicator with this key. 0: it is not known how
/// the communicator came from MPI_COMM_WORLD (it was made together with another job, by merging, or
/// from a group without a parent).
uint64_t origin_of(uint64_t comm_key);
/// True if the table of origins was ever full. Then an origin may be unknown on some ranks only, so
/// the ranks cannot agree on a number for its communicator.
bool origins_were_lost();

}  // namespace apmt::shim
