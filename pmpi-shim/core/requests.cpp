#include "pmpi-shim/core/requests.h"

#include "pmpi-shim/core/plans.h"
#include "pmpi-shim/core/state.h"
#include "profiler/runtime/per_rank.h"

namespace apmt::shim {
namespace {

constinit rt::PerRank<RequestTable<Request, kOpenRequests>> g_requests;

/// Sets every field, because `r` may hold an earlier request.
void fill(Request& r, const Traffic& t, Op op, uint8_t flags) {
  r.post = post_of(t);
  r.bytes_sent = t.sent;
  r.bytes_awaited = awaited_by(t);
  r.members = t.members != &t.scratch ? t.members : nullptr;  // `scratch` ends with this call
  r.members_serial = r.members == nullptr ? 0 : r.members->serial;
  const bool is_affine = t.members != nullptr && t.members->is_affine;
  r.base = is_affine ? t.members->base : 0;
  r.stride = is_affine ? t.members->stride : 0;
  r.dest = t.dest;
  r.source = t.source;
  r.comm_size = t.comm_size;
  r.op = static_cast<uint16_t>(number(op));
  r.peer = static_cast<uint8_t>(t.peer);
  r.flags = static_cast<uint8_t>(t.flags | flags | (is_affine ? kAffine : 0));
}

}  // namespace

void share_requests() { g_requests.here().share(); }

void remember(uint64_t key, const Traffic& t, Op op, uint8_t flags) {
  if (!g_requests.here().add(key, [&](Request& r) { fill(r, t, op, flags); }))
    __atomic_fetch_add(&state().requests_lost, 1, __ATOMIC_RELAXED);
}

OpenRequest find_request(uint64_t key) { return g_requests.here().find(key); }

Request& request_of(OpenRequest open) { return g_requests.here().value(open); }

bool end_request(uint64_t key, OpenRequest open, Request* out) {
  if (!open) return false;
  RequestTable<Request, kOpenRequests>& table = g_requests.here();
  Request& request = table.value(open);
  const bool is_persistent = (request.flags & kPersistent) != 0;
  // If another thread has ended this request, MPI has given the handle to several requests at once.
  // It does so only for requests that are already complete, so this call can end another of them
  // instead.
  const bool is_ours = is_persistent ? table.lives(open) : table.end(key, open, out);
  if (!is_ours) return end_request(key, out);
  if (!is_persistent) return true;
  *out = request;
  request.flags = static_cast<uint8_t>(request.flags & ~kActive);
  return (out->flags & kActive) != 0;
}

bool end_request(uint64_t key, Request* out) {
  // If another thread ends the request that is found, another request with this key is taken.
  const OpenRequest open = find_request(key);
  return open && end_request(key, open, out);
}

void drop_request(uint64_t key) {
  Request dropped;
  while (const OpenRequest open = find_request(key))
    if (g_requests.here().end(key, open, &dropped)) return;
}

}  // namespace apmt::shim
