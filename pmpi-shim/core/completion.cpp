#include "pmpi-shim/core/completion.h"

namespace apmt::shim {
namespace {

/// The communicator that a receive from anyone was posted on, unless it was freed meanwhile.
const Members* members_of(const Request& r) {
  return r.members != nullptr && __atomic_load_n(&r.members->key, __ATOMIC_ACQUIRE) == r.members_key
             ? r.members
             : nullptr;
}

void add_received_message(const Request& r, const MPI_Status* status, uint64_t bytes) {
  int source = r.source;
  if (source < 0 && status != nullptr && (r.flags & kStatusBytes) != 0)
    if (const Members* m = members_of(r)) source = m->world_rank(status->MPI_SOURCE);
  rt::add_received(source, bytes);
}

/// Time in Wait, Test and their kin while `r` was under way: this call's part, and the earlier
/// calls of the thread that posted it. What other threads waited for is not known to be for this.
int64_t blocked_ns(const Request& r, const Traffic& t) {
  const rt::ThreadState& self = rt::self();
  const int64_t here = t.end_ns - (r.post.begin_ns > t.begin_ns ? r.post.begin_ns : t.begin_ns);
  return here + (r.post.thread == &self ? self.waited_ns - r.post.waited_ns : 0);
}

void add_operation(const Request& r, uint64_t received, const Traffic& t) {
  const int64_t flight_ns = t.end_ns - r.post.begin_ns;
  const int64_t blocked = blocked_ns(r, t);
  rt::add_request({r.post.caller_pc, r.op, r.comm_size, static_cast<format::PeerClass>(r.peer),
                   r.bytes_sent, received, flight_ns, blocked < flight_ns ? blocked : flight_ns});
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
