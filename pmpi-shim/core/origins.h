// Which communicator is which: the one it was made from, and how many had been made from that one
// before. All its ranks find the same without a word between them, because MPI wants calls that
// make communicators in one order on all ranks of the one they are made from, whatever threads do.
#pragma once

#include "pmpi-shim/core/handle_table.h"

namespace apmt::shim {

/// MPI_COMM_WORLD, from which all others come.
void note_world_origin(MPI_Comm world);
/// All ranks of `parent` have made a communicator together; MPI_COMM_NULL on those outside of it.
void note_child(MPI_Comm parent, MPI_Comm child);
/// Only those inside of it have.
void note_child_of_group(MPI_Comm parent, MPI_Comm child, int tag);
void forget_origin(MPI_Comm comm);

/// By the key of a communicator. 0: of unknown origin (another job's, merged, made of a group
/// alone).
uint64_t origin_of(uint64_t comm_key);
/// True once one found no room: its ranks do not agree any more on what is of unknown origin.
bool origins_were_lost();

}  // namespace apmt::shim
