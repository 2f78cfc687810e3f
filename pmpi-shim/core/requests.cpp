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
  Request& request = request_of(open);
  if ((request.flags & kPersistent) == 0) return g_requests.here().end(key, open, out);
  *out = request;
  request.flags = static_cast<uint8_t>(request.flags & ~kActive);
  return (out->flags & kActive) != 0;
}

bool end_request(uint64_t key, Request* out) {
  while (const OpenRequest open = find_request(key)) {
    if (end_request(key, open, out)) return true;
    if ((out->flags & kPersistent) != 0) return false;  // inactive
  }                                                     // another thread ended a twin of it
  return false;
}

void drop_request(uint64_t key) {
  Request dropped;
  while (const OpenRequest open = find_request(key))
    if (g_requests.here().end(key, open, &dropped)) return;
}

}  // namespace apmt::shim
