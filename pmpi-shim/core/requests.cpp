#include "pmpi-shim/core/requests.h"

#include "pmpi-shim/core/state.h"
#include "profiler/runtime/per_rank.h"

namespace apmt::shim {
namespace {

constinit rt::PerRank<RequestTable<Request, kOpenRequests>> g_requests;

}  // namespace

void share_requests() { g_requests.here().share(); }

void remember(uint64_t key, const Request& request) {
  if (!g_requests.here().add(key, request))
    __atomic_fetch_add(&state().requests_lost, 1, __ATOMIC_RELAXED);
}

OpenRequest find_request(uint64_t key) { return g_requests.here().find(key); }

Request& request_of(OpenRequest open) { return g_requests.here().value(open); }

bool end_request(uint64_t key, OpenRequest open, Request* out) {
  if (!open) return false;
  RequestTable<Request, kOpenRequests>& table = g_requests.here();
  Request& request = table.value(open);
  const bool is_persistent = (request.flags & kPersistent) != 0;
  // When another has ended it, the handle is one that MPI gives to several requests at once: those
  // are complete already, and one is as good as the other.
  if (!table.lives(open) || (!is_persistent && !table.end(key, open, out)))
    return end_request(key, out);
  if (!is_persistent) return true;
  *out = request;
  request.flags = static_cast<uint8_t>(request.flags & ~kActive);
  return (out->flags & kActive) != 0;
}

bool end_request(uint64_t key, Request* out) {
  const OpenRequest open = find_request(key);  // should another end it now, the next one is tried
  return open && end_request(key, open, out);
}

void drop_request(uint64_t key) {
  Request dropped;
  while (const OpenRequest open = find_request(key))
    if (g_requests.here().end(key, open, &dropped)) return;
}

}  // namespace apmt::shim
