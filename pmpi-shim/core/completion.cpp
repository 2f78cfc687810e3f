#include "pmpi-shim/core/completion.h"

namespace apmt::shim {
namespace {

/// World rank of a rank of the communicator that `r` was posted on; -1 when that is not known.
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

/// Time in Wait, Test and their kin while `r` was under way: this call's part, and the earlier
/// calls of the thread that posted it. What other threads waited for is not known to be for this.
int64_t blocked_ns(const Request& r, const Traffic& t) {
  const rt::ThreadState& self = rt::self();
  const int64_t here = t.end_ns - (r.post.begin_ns > t.begin_ns ? r.post.begin_ns : t.begin_ns);
  const bool posted_it = self.slot >= 0 && self.slot == r.post.thread;
  return here + (posted_it ? self.waited_ns - r.post.waited_ns : 0);
}

/// Times of one operation that cannot be are made possible, and counted.
int64_t within(int64_t ns, int64_t most_ns) {
  if (ns >= 0 && ns <= most_ns) return ns;
  __atomic_fetch_add(&state().odd_times, 1, __ATOMIC_RELAXED);
  return ns < 0 ? 0 : most_ns;
}

void add_operation(const Request& r, uint64_t received, const Traffic& t) {
  const int64_t flight_ns = within(t.end_ns - r.post.begin_ns, INT64_MAX);
  rt::add_request({r.post.caller_pc, r.op, r.comm_size, static_cast<format::PeerClass>(r.peer),
                   r.bytes_sent, received, flight_ns, within(blocked_ns(r, t), flight_ns)});
}

}  // namespace

void add_ended(const Request& r, const MPI_Status* status, Traffic& t) {
  t.joins(static_cast<format::PeerClass>(r.peer));
  t.joins_comm(r.comm_size);
  t.awaited += r.bytes_sent;  // the size class of a completing call is that of all it completed
  uint64_t came = r.bytes_awaited;
  if ((r.flags & (kReceives | kStatusBytes)) == 0) {
    add_operation(r, came, t);
    return;
  }
  if ((r.flags & kStatusBytes) != 0) {
    if (status == nullptr) return;
    // Only of a message: after reading a file the field may hold anything.
    if ((r.flags & kReceives) != 0 && status_cancelled(*status)) return;
    came = bytes_brought(*status, r.bytes_awaited);
  }
  t.received += came;
  add_operation(r, came, t);
  if ((r.flags & kReceives) != 0) add_received_message(r, status, came);
}

}  // namespace apmt::shim
