// Identifies each communicator by its parent and by its number among the communicators made from
// that parent. All its ranks compute the same identity without communication: MPI requires all
// ranks of a communicator to make the calls that create others in the same order, even with
// threads.
#pragma once

#include "pmpi-shim/core/handle_table.h"

namespace apmt::shim {

/// MPI_COMM_WORLD, the origin of all others.
void note_world_origin(MPI_Comm world);
/// All ranks of `parent` have made a communicator together; those outside of it get MPI_COMM_NULL.
void note_child(MPI_Comm parent, MPI_Comm child);
/// Only the ranks inside it have made it.
void note_child_of_group(MPI_Comm parent, MPI_Comm child, int tag);
void forget_origin(MPI_Comm comm);

/// The origin of the communicator with this key. 0: unknown (from another job, merged, or made from
/// a group alone).
uint64_t origin_of(uint64_t comm_key);
/// True once the table was full: then the ranks no longer agree on communicators of unknown origin.
bool origins_were_lost();

}  // namespace apmt::shim
