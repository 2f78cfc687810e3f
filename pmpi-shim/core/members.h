// The processes that are the ranks of a communicator, a window or a file. MPI is asked once for
// each handle, by local calls only.
#pragma once

#include "pmpi-shim/core/handle_table.h"
#include "profiler/profile_format.h"

namespace apmt::shim {

struct Members {
  uint64_t key;
  uint64_t serial;   // a new number each time that this entry of the cache is filled
  int32_t peers;     // number of ranks; in an inter-communicator, of the remote group only
  int32_t everyone;  // number of ranks; in an inter-communicator, of both groups
  int32_t my_rank;
  bool is_inter;
  bool is_affine;  // world rank of r = base + stride * r
  int32_t base;
  int32_t stride;
  int32_t* world;  // the world ranks if not `is_affine`; nullptr: there was no room for the table
  int32_t world_capacity;
  format::PeerClass nodes;  // where the peers are: on this node, on others, on both, or not known
  // Used for communicators only (see instances.h): a number for the communicator that is the same
  // on all its ranks, and how many synchronising collectives it has had. Two threads never change
  // them at the same time, because MPI forbids two collectives on a communicator at once.
  mutable uint64_t identity;
  mutable uint64_t collectives;

  /// The world rank of a peer; -1 if the peer has none or it is not known.
  int world_rank(int rank) const {
    if (rank < 0 || rank >= peers) return -1;
    if (is_affine) return base + stride * rank;
    return world == nullptr ? -1 : world[rank];
  }
};

/// The members of the communicator, from a cache if MPI was asked before. If the cache is full,
/// fills `scratch` and returns it. Only for handles that MPI has just accepted.
const Members& members_of_comm(MPI_Comm comm, Members& scratch);
const Members& members_of_window(MPI_Win win, Members& scratch);
const Members& members_of_file(MPI_File file, Members& scratch);

/// To be called before the object is freed, because MPI may reuse its handle at once.
void forget_comm(MPI_Comm comm);
void forget_window(MPI_Win win);
void forget_file(MPI_File file);

/// Whether the peer with this world rank is on this node.
format::PeerClass node_of(int world_rank);

}  // namespace apmt::shim
