// Plans of Wait, Test and similar calls. They find out which requests ended, how many bytes
// arrived, and from which ranks.
#pragma once

#include <string.h>

#include "pmpi-shim/core/plans.h"
#include "pmpi-shim/core/scratch.h"
#include "pmpi-shim/core/state.h"

namespace apmt::shim {

/// Adds a request that has ended to the traffic of the call that completed it. Received bytes are
/// counted here, because their number is known only now; sent bytes were counted when the request
/// was posted.
void add_ended(const Request& r, const MPI_Status* status, Traffic& t);

inline bool is_null(MPI_Request request) { return request == state().request_null; }

struct Wait : Plan {
  static constexpr bool kCompletes = true;
  static constexpr bool kBlocks = true;
  Request request;  // set if `known`
  bool known = false;
  MPI_Status own_status;

  template <class A>
  void before(A& args) {
    const MPI_Request handle = *args.template get<Role::request>();
    // The request is looked up before the call. Once it is complete, MPI may give its handle to a
    // request of another thread.
    known = !is_null(handle) && end_request(request_key(handle), &request);
    if (known && ignored(args.template get<Role::status>()))
      args.template get<Role::status>() = provide(own_status);
  }
  template <class A>
  void after(A& args, Traffic& t, Op) {
    if (known) add_ended(request, args.template get<Role::status>(), t);
  }
};

/// A copy of the handles of the requests that a call may complete. It is made before the call,
/// because MPI sets the handles of completed requests to null.
/// With one thread, requests are looked up after the call, and only those that have completed, so
/// that calls that complete nothing are cheap. With several threads, all requests are looked up
/// before the call, because afterwards a handle may already stand for another thread's request.
class Handles {
 public:
  void keep(const MPI_Request* handles, int count) {
    if (count <= 0) return;
    const size_t n = static_cast<size_t>(count);
    handles_ = static_cast<MPI_Request*>(handle_memory_.get(n * sizeof(MPI_Request)));
    if (handles_ == nullptr) return;
    memcpy(handles_, handles, n * sizeof(MPI_Request));
    if (state().multiple) {
      open_ = static_cast<OpenRequest*>(open_memory_.get(n * sizeof(OpenRequest)));
      if (open_ == nullptr) return;
      for (int i = 0; i < count; ++i)
        open_[i] = is_null(handles_[i]) ? OpenRequest{} : find_request(request_key(handles_[i]));
    }
    count_ = count;
  }
  int count() const { return count_; }

  void ended(int index, const MPI_Status* status, Traffic& t) {
    Request request;
    if (take(index, &request)) add_ended(request, status, t);
  }
  /// For a call that failed: removes the requests that ended nevertheless. They are not counted,
  /// because their statuses are not reliable.
  void drop_ended(const MPI_Request* handles) {
    Request request;
    for (int i = 0; i < count_; ++i)
      if (is_null(handles[i])) take(i, &request);
  }

 private:
  bool take(int index, Request* request) {
    if (index < 0 || index >= count_ || is_null(handles_[index])) return false;
    const uint64_t key = request_key(handles_[index]);
    return open_ != nullptr ? end_request(key, open_[index], request) : end_request(key, request);
  }

  int count_ = 0;
  MPI_Request* handles_ = nullptr;
  OpenRequest* open_ = nullptr;
  Scratch handle_memory_;
  Scratch open_memory_;
};

struct Test : Plan {
  static constexpr bool kCompletes = true;
  MPI_Request handle;
  OpenRequest open;  // looked up before the call, as in Handles
  MPI_Status own_status;

  template <class A>
  void before(A& args) {
    handle = *args.template get<Role::request>();
    if (state().multiple && !is_null(handle)) open = find_request(request_key(handle));
    if (ignored(args.template get<Role::status>()))
      args.template get<Role::status>() = provide(own_status);
  }
  template <class A>
  void after(A& args, Traffic& t, Op) {
    Request request;
    if (*args.template get<Role::flag>() != 0 && take(&request))
      add_ended(request, args.template get<Role::status>(), t);
  }
  template <class A>
  void failed(A& args) {
    Request request;
    if (is_null(*args.template get<Role::request>())) take(&request);
  }

 private:
  bool take(Request* request) {
    if (is_null(handle)) return false;
    const uint64_t key = request_key(handle);
    return state().multiple ? end_request(key, open, request) : end_request(key, request);
  }
};

/// If the program passes no statuses to MPI, the recorder passes some of its own.
template <class A>
void provide_statuses(A& args, Scratch& memory) {
  if (args.template get<Role::statuses>() != MPI_STATUSES_IGNORE) return;
  const int n = args.template get<Role::incount>();
  if (n <= 0) return;
  void* own = memory.get(static_cast<size_t>(n) * sizeof(MPI_Status));
  if (own == nullptr) return;
  MPI_Status* const statuses = static_cast<MPI_Status*>(own);
  for (int i = 0; i < n; ++i) provide(statuses[i]);
  args.template get<Role::statuses>() = statuses;
}

struct Waitall : Plan {
  static constexpr bool kCompletes = true;
  static constexpr bool kBlocks = true;
  int count = 0;
  Request* ended = nullptr;  // `op` is 0 in the entry of an unknown request
  Scratch request_memory;
  Scratch status_memory;

  template <class A>
  void before(A& args) {
    const int n = args.template get<Role::incount>();
    if (n <= 0) return;
    ended = static_cast<Request*>(request_memory.get(static_cast<size_t>(n) * sizeof(Request)));
    if (ended == nullptr) return;
    count = n;
    bool wants_statuses = false;
    for (int i = 0; i < n; ++i) {
      const MPI_Request handle = args.template get<Role::requests>()[i];
      if (is_null(handle) || !end_request(request_key(handle), &ended[i]))
        ended[i].op = 0;
      else
        wants_statuses |= (ended[i].flags & kStatusBytes) != 0;
    }
    if (wants_statuses) provide_statuses(args, status_memory);
  }
  template <class A>
  void after(A& args, Traffic& t, Op) {
    const MPI_Status* statuses = args.template get<Role::statuses>();
    const bool none = statuses == MPI_STATUSES_IGNORE;
    for (int i = 0; i < count; ++i)
      if (ended[i].op != 0) add_ended(ended[i], none ? nullptr : &statuses[i], t);
  }
};

struct Testall : Plan {
  static constexpr bool kCompletes = true;
  Handles handles;
  Scratch status_memory;

  template <class A>
  void before(A& args) {
    handles.keep(args.template get<Role::requests>(), args.template get<Role::incount>());
    provide_statuses(args, status_memory);
  }
  template <class A>
  void after(A& args, Traffic& t, Op) {
    if (*args.template get<Role::flag>() == 0) return;
    const MPI_Status* statuses = args.template get<Role::statuses>();
    const bool none = statuses == MPI_STATUSES_IGNORE;
    for (int i = 0; i < handles.count(); ++i) handles.ended(i, none ? nullptr : &statuses[i], t);
  }
  template <class A>
  void failed(A& args) {
    handles.drop_ended(args.template get<Role::requests>());
  }
};

/// Waitany and Testany: they end at most one request.
struct EndsOne : Plan {
  static constexpr bool kCompletes = true;
  Handles handles;
  MPI_Status own_status;

  template <class A>
  void before(A& args) {
    handles.keep(args.template get<Role::requests>(), args.template get<Role::incount>());
    if (ignored(args.template get<Role::status>()))
      args.template get<Role::status>() = provide(own_status);
  }
  template <class A>
  void after(A& args, Traffic& t, Op) {
    if constexpr (A::template has<Role::flag>)
      if (*args.template get<Role::flag>() == 0) return;
    handles.ended(*args.template get<Role::index>(), args.template get<Role::status>(), t);
  }
  template <class A>
  void failed(A& args) {
    handles.drop_ended(args.template get<Role::requests>());
  }
};
struct Waitany : EndsOne {
  static constexpr bool kBlocks = true;
};
struct Testany : EndsOne {};

/// Waitsome and Testsome: they end any number of requests.
struct EndsSome : Plan {
  static constexpr bool kCompletes = true;
  Handles handles;
  Scratch status_memory;

  template <class A>
  void before(A& args) {
    handles.keep(args.template get<Role::requests>(), args.template get<Role::incount>());
    provide_statuses(args, status_memory);
  }
  template <class A>
  void after(A& args, Traffic& t, Op) {
    const int n = *args.template get<Role::outcount>();
    const MPI_Status* statuses = args.template get<Role::statuses>();
    const bool none = statuses == MPI_STATUSES_IGNORE;
    for (int i = 0; i < n; ++i)  // not entered if n is MPI_UNDEFINED, which is negative
      handles.ended(args.template get<Role::indices>()[i], none ? nullptr : &statuses[i], t);
  }
  template <class A>
  void failed(A& args) {
    handles.drop_ended(args.template get<Role::requests>());
  }
};
struct Waitsome : EndsSome {
  static constexpr bool kBlocks = true;
};
struct Testsome : EndsSome {};

struct RequestFree : Plan {
  template <class A>
  void before(A& args) {
    const MPI_Request handle = *args.template get<Role::request>();
    if (!is_null(handle)) drop_request(request_key(handle));
  }
};

}  // namespace apmt::shim
