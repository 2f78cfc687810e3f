#include "pmpi-shim/core/completion.h"

#include "pmpi-shim/core/possible_time.h"

namespace apmt::shim {
namespace {

/// The world rank of `rank`, a rank in the communicator on which `r` was posted; -1: not known.
int world_rank(const Request& r, int rank) {
  if (rank < 0) return -1;
  if ((r.flags & kAffine) != 0) return r.base + r.stride * rank;
  const bool same = r.members != nullptr && r.members->serial == r.members_serial;
  return same ? r.members->world_rank(rank) : -1;
}

void add_received_message(const Request& r, const MPI_Status* status, uint64_t bytes) {
  int source = r.source;
  if (source < 0 && status != nullptr && (r.flags & kStatusBytes) != 0)
    source = world_rank(r, status->MPI_SOURCE);
  rt::add_received(source, bytes);
}

/// The time in Wait, Test and similar calls while request `r` was open: in the present call and, if
/// the present thread posted `r`, in its earlier calls. Earlier calls of other threads do not
/// count, because they may have waited for other requests.
int64_t blocked_ns(const Request& r, const Traffic& t) {
  const rt::ThreadState& self = rt::self();
  const int64_t here = t.end_ns - (r.post.begin_ns > t.begin_ns ? r.post.begin_ns : t.begin_ns);
  const bool posted_it = self.slot >= 0 && self.slot == r.post.thread;
  return here + (posted_it ? self.waited_ns - r.post.waited_ns : 0);
}

void add_operation(const Request& r, uint64_t received, const Traffic& t) {
  uint64_t& odd = state().odd_times;
  const int64_t flight_ns = possible_time(t.end_ns - r.post.begin_ns, INT64_MAX, odd);
  rt::add_request({r.post.caller_pc, r.op, r.comm_size, static_cast<format::PeerClass>(r.peer),
                   r.bytes_sent, received, flight_ns,
                   possible_time(blocked_ns(r, t), flight_ns, odd)});
}

}  // namespace

void add_ended(const Request& r, const MPI_Status* status, Traffic& t) {
  t.joins(static_cast<format::PeerClass>(r.peer));
  t.joins_comm(r.comm_size);
  t.awaited += r.bytes_sent;  // the sum over all requests gives the call's size class
  uint64_t came = r.bytes_awaited;
  if ((r.flags & (kReceives | kStatusBytes)) == 0) {
    add_operation(r, came, t);
    return;
  }
  if ((r.flags & kStatusBytes) != 0) {
    if (status == nullptr) return;
    // Only the status of a message says whether it was cancelled; the status of a file read has no
    // valid `cancelled` field.
    if ((r.flags & kReceives) != 0 && status_cancelled(*status)) return;
    came = bytes_brought(*status, r.bytes_awaited);
  }
  t.received += came;
  add_operation(r, came, t);
  if ((r.flags & kReceives) != 0) add_received_message(r, status, came);
}

}  // namespace apmt::shim
