// Requests from post to completion. An entry is made when the program gets the request and goes
// when the request does; persistent ones stay and are active between Start and completion.
#pragma once

#include "pmpi-shim/core/members.h"
#include "profiler/runtime/runtime.h"

namespace apmt::shim {

/// When and by whom an operation was posted.
struct Post {
  int64_t begin_ns;
  uint64_t caller_pc;
  const rt::ThreadState* thread;
  int64_t waited_ns;  // that thread's, at that time
};

struct Request {
  uint64_t key;
  Post post;
  uint64_t bytes_sent;     // of one activation
  uint64_t bytes_awaited;  // upper bound of what a receive brings
  const Members* members;  // to translate a source that was not known; compare members_key first
  uint64_t members_key;
  int32_t dest;  // world ranks; -1 = none, or not known before completion
  int32_t source;
  uint32_t comm_size;
  uint16_t op;   // that posted it
  uint8_t peer;  // format::PeerClass
  uint8_t flags;
};

enum RequestFlag : uint8_t {
  kSends = 1,        // a message to a peer
  kReceives = 2,     // a message from a peer
  kStatusBytes = 4,  // how much came is in the status, not known before
  kPersistent = 8,
  kActive = 16,  // a persistent request between start and completion
};

/// Remembers a request or a matched message. Full table: counted, then forgotten.
void remember(uint64_t key, const Request& request);

/// The request behind a key, as it ends: removed, or made inactive if persistent. False: not known,
/// or inactive.
bool end_request(uint64_t key, Request* out);
/// Undoes end_request: it turned out not to have ended.
void put_back(const Request& request);
/// A look at an entry without ending it; nullptr if not known.
Request* find_request(uint64_t key);
/// Forgets it without completion (MPI_Request_free).
void drop_request(uint64_t key);

inline uint64_t request_key(MPI_Request request) {
  return handle_key(HandleKind::kRequest, request);
}
inline uint64_t message_key(MPI_Message message) {
  return handle_key(HandleKind::kMessage, message);
}

}  // namespace apmt::shim
