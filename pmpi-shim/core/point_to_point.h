// Rules and plans of point-to-point calls: one message sent, one received, or both.
#pragma once

#include "pmpi-shim/core/plans.h"

namespace apmt::shim {

struct Send : Rule {
  template <class A>
  static void measure(A& args, Traffic& t) {
    sends_to(t, locate(args, t), args.template get<Role::dest>(),
             bytes_of(args.template get<Role::count>(), args.template get<Role::type>()));
  }
};

struct Receive : Rule {
  static constexpr bool kNeedsStatus = true;
  template <class A>
  static void measure(A& args, Traffic& t) {
    receives_from(t, locate(args, t), args.template get<Role::source>(),
                  bytes_of(args.template get<Role::count>(), args.template get<Role::type>()));
  }
};

/// MPI_Sendrecv, with two buffers, and MPI_Sendrecv_replace, with one.
struct SendReceive : Rule {
  static constexpr bool kNeedsStatus = true;
  template <class A>
  static void measure(A& args, Traffic& t) {
    uint64_t out, in;
    if constexpr (A::template has<Role::sendcount>) {
      out = bytes_of(args.template get<Role::sendcount>(), args.template get<Role::sendtype>());
      in = bytes_of(args.template get<Role::recvcount>(), args.template get<Role::recvtype>());
    } else {
      out = in = bytes_of(args.template get<Role::count>(), args.template get<Role::type>());
    }
    const Members& m = locate(args, t);
    sends_to(t, m, args.template get<Role::dest>(), out);
    receives_from(t, m, args.template get<Role::source>(), in);
  }
};

/// MPI_Isendrecv, where one request stands for both messages. If this MPI's status is unreliable,
/// the size of the receive buffer counts as received, and a message from MPI_ANY_SOURCE has no
/// peer.
struct PostedSendReceive : SendReceive {
  template <class A>
  static void measure(A& args, Traffic& t) {
    SendReceive::measure(args, t);
    if (!kExchangeHasStatus) t.flags = static_cast<uint8_t>(t.flags & ~kStatusBytes);
  }
};

template <class A>
uint64_t partitioned_bytes(A& args) {
  return to_count(args.template get<Role::partitions>()) *
         bytes_of(args.template get<Role::count>(), args.template get<Role::type>());
}
struct PartitionedSend : Rule {
  template <class A>
  static void measure(A& args, Traffic& t) {
    sends_to(t, locate(args, t), args.template get<Role::dest>(), partitioned_bytes(args));
  }
};
struct PartitionedReceive : Rule {
  template <class A>
  static void measure(A& args, Traffic& t) {
    receives_from(t, locate(args, t), args.template get<Role::source>(), partitioned_bytes(args));
    t.flags = static_cast<uint8_t>(t.flags & ~kStatusBytes);  // the status has the send's size
  }
};

/// Stores the matched message, because the call that receives it does not get the communicator.
struct MatchedProbe : Plan {
  static constexpr bool kBlocks = true;
  MPI_Status own_status;

  template <class A>
  void before(A& args) {
    if (ignored(args.template get<Role::status>()))
      args.template get<Role::status>() = provide(own_status);
  }
  template <class A>
  void after(A& args, Traffic& t, Op op) {
    const Members& m = locate(args, t);
    if constexpr (A::template has<Role::flag>)
      if (*args.template get<Role::flag>() == 0) return;
    receives_from(t, m, args.template get<Role::status>()->MPI_SOURCE, 0);
    if ((t.flags & kReceives) != 0)
      remember(message_key(*args.template get<Role::message>()), t, op);
  }
};
struct MatchedIprobe : MatchedProbe {
  static constexpr bool kBlocks = false;
};

/// The message to receive, as MatchedProbe stored it.
struct FromMessage {
  Request message = {};

  template <class A>
  void take(A& args) {
    if (!end_request(message_key(*args.template get<Role::message>()), &message)) message.flags = 0;
  }
  void describe(Traffic& t) const {
    t.comm_size = message.comm_size;
    t.peer = static_cast<format::PeerClass>(message.peer);
    t.source = message.source;
    t.flags = static_cast<uint8_t>(message.flags & ~kAffine);
  }
};

struct MatchedReceive : Plan {
  static constexpr bool kBlocks = true;
  FromMessage from;
  MPI_Status own_status;

  template <class A>
  void before(A& args) {
    from.take(args);
    if (ignored(args.template get<Role::status>()))
      args.template get<Role::status>() = provide(own_status);
  }
  template <class A>
  void after(A& args, Traffic& t, Op) {
    from.describe(t);
    t.awaited = bytes_of(args.template get<Role::count>(), args.template get<Role::type>());
    settle(t, *args.template get<Role::status>());
  }
};

struct MatchedIreceive : Plan {
  FromMessage from;

  template <class A>
  void before(A& args) {
    from.take(args);
  }
  template <class A>
  void after(A& args, Traffic& t, Op op) {
    from.describe(t);
    if (t.flags == 0) return;
    t.awaited = bytes_of(args.template get<Role::count>(), args.template get<Role::type>());
    remember(request_key(*args.template get<Role::request>()), t, op);
  }
};

/// Starts a persistent request; its bytes count now, as far as their number is known.
inline void start(MPI_Request request, Traffic& t) {
  const OpenRequest open = find_request(request_key(request));
  if (!open) return;
  Request* const r = &request_of(open);
  r->post = post_of(t);
  r->flags |= kActive;
  t.sent += r->bytes_sent;
  if ((r->flags & (kReceives | kStatusBytes)) == 0) t.received += r->bytes_awaited;
  if ((r->flags & kSends) != 0) rt::add_sent(r->dest, r->bytes_sent);
  t.joins_comm(r->comm_size);
  t.joins(static_cast<format::PeerClass>(r->peer));
}

struct Start : Plan {
  template <class A>
  void after(A& args, Traffic& t, Op) {
    start(*args.template get<Role::request>(), t);
  }
};

struct Startall : Plan {
  template <class A>
  void after(A& args, Traffic& t, Op) {
    for (int i = 0; i < args.template get<Role::incount>(); ++i)
      start(args.template get<Role::requests>()[i], t);
  }
};

}  // namespace apmt::shim
