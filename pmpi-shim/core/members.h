// The processes behind the ranks of a communicator, a window or a file. MPI is asked once for each
// handle, by local calls only.
#pragma once

#include "pmpi-shim/core/handle_table.h"
#include "profiler/profile_format.h"

namespace apmt::shim {

struct Members {
  uint64_t key;
  uint64_t serial;   // a new number each time that the slot is filled
  int32_t peers;     // how many ranks can be peers; in an inter-communicator, the remote group
  int32_t everyone;  // how many processes take part
  int32_t my_rank;
  bool is_inter;
  bool is_affine;  // world rank of r = base + stride * r
  int32_t base;
  int32_t stride;
  int32_t* world;  // the table if it is not affine; nullptr: there was no room for one
  int32_t world_capacity;
  format::PeerClass nodes;  // where the peers are: on this node, on others, or both
  // These two are used for communicators, see instances.h. Only one thread at a time changes them,
  // because MPI requires one order of the collectives on a communicator.
  mutable uint64_t identity;
  mutable uint64_t collectives;

  /// World rank of a peer; -1 if it has none or it is not known.
  int world_rank(int rank) const {
    if (rank < 0 || rank >= peers) return -1;
    if (is_affine) return base + stride * rank;
    return world == nullptr ? -1 : world[rank];
  }
};

/// Returns `scratch`, filled, if the cache is full. Only for handles that a call has just accepted.
const Members& members_of_comm(MPI_Comm comm, Members& scratch);
const Members& members_of_window(MPI_Win win, Members& scratch);
const Members& members_of_file(MPI_File file, Members& scratch);

/// To be called before the handle is freed: MPI may reuse it at once.
void forget_comm(MPI_Comm comm);
void forget_window(MPI_Win win);
void forget_file(MPI_File file);

/// Where the peer with this world rank is.
format::PeerClass node_of(int world_rank);

}  // namespace apmt::shim
