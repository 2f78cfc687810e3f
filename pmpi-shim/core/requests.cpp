#include "pmpi-shim/core/requests.h"

#include "pmpi-shim/core/state.h"
#include "profiler/runtime/per_rank.h"

namespace apmt::shim {
namespace {

constinit rt::PerRank<HandleTable<Request, kOpenRequests>> g_requests;

}  // namespace

void remember(uint64_t key, const Request& request) {
  Request* slot = g_requests.here().claim(key);
  if (slot == nullptr) {
    __atomic_fetch_add(&state().requests_lost, 1, __ATOMIC_RELAXED);
    return;
  }
  // Member by member: the key says that the slot is ours and must stay untouched.
  slot->post = request.post;
  slot->bytes_sent = request.bytes_sent;
  slot->bytes_awaited = request.bytes_awaited;
  slot->members = request.members;
  slot->members_key = request.members_key;
  slot->dest = request.dest;
  slot->source = request.source;
  slot->comm_size = request.comm_size;
  slot->op = request.op;
  slot->peer = request.peer;
  slot->flags = request.flags;
  g_requests.here().publish(*slot, key);
}

bool end_request(uint64_t key, Request* out) {
  while (Request* slot = g_requests.here().find(key)) {
    *out = *slot;
    if ((out->flags & kPersistent) != 0) {
      slot->flags = static_cast<uint8_t>(slot->flags & ~kActive);
      return (out->flags & kActive) != 0;
    }
    if (g_requests.here().remove(*slot, key))
      return true;  // else another thread ended a twin of it
  }
  return false;
}

void put_back(const Request& request) {
  if ((request.flags & kPersistent) == 0)
    remember(request.key, request);
  else if (Request* slot = g_requests.here().find(request.key))
    slot->flags |= kActive;
}

Request* find_request(uint64_t key) { return g_requests.here().find(key); }

void drop_request(uint64_t key) {
  if (Request* slot = g_requests.here().find(key)) g_requests.here().remove(*slot, key);
}

}  // namespace apmt::shim
