// The table of open requests. remember() of plans.h stores a request when it is posted; its
// completion removes it. A persistent request stays until it is freed, and is active from each
// start to the next completion.
#pragma once

#include "pmpi-shim/core/members.h"
#include "pmpi-shim/core/request_table.h"
#include "profiler/runtime/runtime.h"

namespace apmt::shim {

/// When a request was posted, and by which thread.
struct Post {
  int64_t begin_ns;
  uint64_t caller_pc;
  int64_t waited_ns;  // the posting thread's total time in Wait, Test and similar calls until then
  int32_t thread;     // its slot in the table of threads
};

struct Request {
  Post post;
  uint64_t bytes_sent;     // per start
  uint64_t bytes_awaited;  // per start: the most bytes that may arrive
  /// Used to find the world rank of a source that was unknown at the post. Valid only while
  /// `members->serial` equals `members_serial`, because the communicator may have been freed.
  const Members* members;
  uint64_t members_serial;
  int32_t base;  // with kAffine
  int32_t stride;
  int32_t dest;  // dest and source: world ranks; -1 = none, or not yet known
  int32_t source;
  uint32_t comm_size;
  uint16_t op;   // which operation posted it
  uint8_t peer;  // format::PeerClass
  uint8_t flags;
};

enum RequestFlag : uint8_t {
  kSends = 1,        // a message to a peer
  kReceives = 2,     // a message from a peer
  kStatusBytes = 4,  // only the status shows how many bytes arrived
  kPersistent = 8,
  kActive = 16,  // a persistent request between start and completion
  kAffine = 32,  // world rank of r = base + stride * r
};

using OpenRequest = RequestTable<Request, kOpenRequests>::Ref;

/// To be called when MPI or a session starts, if several threads may be in MPI at once.
void share_requests();

/// Finds the open request under a key; false if there is none.
OpenRequest find_request(uint64_t key);
/// The request that find_request() has found. Valid only until it ends.
Request& request_of(OpenRequest open);

/// Ends a request: removes it, or makes it inactive if it is persistent. Returns false if it was
/// inactive or is not known.
bool end_request(uint64_t key, OpenRequest open, Request* out);
/// Like end_request() above, for the request that was stored last under the key.
bool end_request(uint64_t key, Request* out);
/// Removes the request stored last under the key, without completing it (MPI_Request_free).
void drop_request(uint64_t key);

inline uint64_t request_key(MPI_Request request) {
  return handle_key(HandleKind::kRequest, request);
}
inline uint64_t message_key(MPI_Message message) {
  return handle_key(HandleKind::kMessage, message);
}

}  // namespace apmt::shim
