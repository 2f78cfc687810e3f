// The bytes and messages of one call, computed by its rule.
#pragma once

#include "pmpi-shim/core/datatypes.h"
#include "pmpi-shim/core/members.h"
#include "pmpi-shim/core/requests.h"
#include "pmpi-shim/core/roles.h"
#include "profiler/runtime/runtime.h"

namespace apmt::shim {

struct Traffic {
  int64_t begin_ns = 0;  // when the call began
  int64_t end_ns = 0;
  uint64_t sent = 0;
  uint64_t received = 0;
  uint64_t awaited = 0;  // the most bytes that may arrive; `received` is known only at completion
  uint32_t comm_size = 0;
  format::PeerClass peer = format::PeerClass::kNone;
  bool comm_seen = false;
  uint8_t flags = 0;  // RequestFlag: whether it sends to or receives from a peer
  int dest = -1;      // dest and source: world ranks; -1: none, or not known
  int source = -1;
  const Members* members = nullptr;
  Members scratch;  // what `members` points to when the cache is full

  uint64_t size() const {
    const uint64_t larger = sent > received ? sent : received;
    return larger > awaited ? larger : awaited;
  }
  void on(const Members& m) {
    members = &m;
    comm_size = static_cast<uint32_t>(m.everyone);
  }
  /// Called for each request that a call completes: sets `comm_size` to the size of the requests'
  /// communicators, or to 0 if the sizes differ.
  void joins_comm(uint32_t size) {
    comm_size = comm_seen && comm_size != size ? 0 : size;
    comm_seen = true;
  }
  void joins(format::PeerClass other) {
    using format::PeerClass;
    const bool of_none = other == PeerClass::kNone || other == PeerClass::kNobody;
    if (peer == PeerClass::kNone || (peer == PeerClass::kNobody && !of_none))
      peer = other;
    else if (!of_none && other != peer)
      peer = PeerClass::kMixed;
  }
};

template <class Count, class Type>
uint64_t bytes_of(Count count, Type type) {
  // If the count is 0, the program may pass any value as the type.
  return count > 0 ? to_count(count) * type_bytes(to_handle<MPI_Datatype>(type)) : 0;
}

template <class A>
const Members& locate(A& args, Traffic& t) {
  const Members& m =
      members_of_comm(to_handle<MPI_Comm>(args.template get<Role::comm>()), t.scratch);
  t.on(m);
  return m;
}

/// Adds a message to `dest`, a rank of `m`.
inline void sends_to(Traffic& t, const Members& m, int dest, uint64_t bytes) {
  if (dest == MPI_PROC_NULL) return t.joins(format::PeerClass::kNobody);
  t.sent = bytes;
  t.dest = m.world_rank(dest);
  t.flags |= kSends;
  t.joins(node_of(t.dest));
}

/// Adds a message from `source`, a rank of `m` or MPI_ANY_SOURCE, of at most `bytes`.
inline void receives_from(Traffic& t, const Members& m, int source, uint64_t bytes) {
  if (source == MPI_PROC_NULL) return t.joins(format::PeerClass::kNobody);
  t.awaited = bytes;
  t.source = source == MPI_ANY_SOURCE ? -1 : m.world_rank(source);
  t.flags |= kReceives | kStatusBytes;
  t.joins(source == MPI_ANY_SOURCE ? m.nodes : node_of(t.source));
}

inline bool ignored(const MPI_Status* status) { return status == MPI_STATUS_IGNORE; }

/// Clears a status of the recorder, because some calls set only the count, and returns it.
inline MPI_Status* provide(MPI_Status& own) {
  own = {};
  return &own;
}

/// Bytes of a completed receive: the number in the status, but at most `awaited`.
inline uint64_t bytes_brought(const MPI_Status& status, uint64_t awaited) {
  const uint64_t bytes = status_bytes(status);
  return bytes < awaited ? bytes : awaited;
}

/// Called when the receive is complete: records its bytes and its source.
inline void settle(Traffic& t, const MPI_Status& status) {
  if ((t.flags & kStatusBytes) == 0) return;
  t.received = bytes_brought(status, t.awaited);
  t.awaited = 0;
  if ((t.flags & kReceives) != 0) {
    if (t.source < 0 && t.members != nullptr) t.source = t.members->world_rank(status.MPI_SOURCE);
    rt::add_received(t.source, t.received);
  }
}

}  // namespace apmt::shim
