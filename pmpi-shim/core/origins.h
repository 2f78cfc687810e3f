// Identifies each communicator by its parent and by its number among the communicators made from
// that parent. All its ranks compute the same number without communication: MPI requires the ranks
// of a communicator to make the calls that create others in the same order, even with threads.
#pragma once

#include "pmpi-shim/core/handle_table.h"

namespace apmt::shim {

/// Notes MPI_COMM_WORLD, from which all others come.
void note_world_origin(MPI_Comm world);
/// All ranks of `parent` made `child` together; ranks outside `child` got MPI_COMM_NULL.
void note_child(MPI_Comm parent, MPI_Comm child);
/// Only the ranks in `child` made it.
void note_child_of_group(MPI_Comm parent, MPI_Comm child, int tag);
void forget_origin(MPI_Comm comm);

/// The origin of the communicator with this key. 0: unknown (made with another job, by merging, or
/// from a group without a parent).
uint64_t origin_of(uint64_t comm_key);
/// True once the table was full: ranks may then number communicators of unknown origin differently.
bool origins_were_lost();

}  // namespace apmt::shim
