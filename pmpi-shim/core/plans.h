// Plans and rules. A plan is what the recorder does around one MPI call, apart from timing it. For
// each call a new object of the plan is made:
//   before(args)   runs just before the real call, and may replace arguments
//   after(...)     runs if the call succeeded: records what the call moved
//   failed(args)   runs if the call failed: undoes what must be undone
// Most plans below take a rule, whose function `measure(args, traffic)` computes the bytes.
#pragma once

#include "pmpi-shim/core/instances.h"
#include "pmpi-shim/core/ops.h"
#include "pmpi-shim/core/traffic.h"

namespace apmt::shim {

struct Plan {
  static constexpr bool kBlocks = false;        // the whole time of the call counts as blocked
  static constexpr bool kCompletes = false;     // ends requests: Wait, Test and similar calls
  static constexpr bool kSynchronises = false;  // no rank leaves before all have entered
  static constexpr bool kForgets = false;       // frees an object: has forget(args) (see handles.h)
  static constexpr bool kLifecycle = false;     // has run(args, op) instead of the functions below
  template <class A>
  void before(A&) {}
  template <class A>
  void after(A&, Traffic&, Op) {}
  template <class A>
  void failed(A&) {}
};

/// For calls without communication: they are only counted and timed.
struct Local : Plan {};

/// Counts the message that this call sent, if any.
inline void count_sent(const Traffic& t) {
  if ((t.flags & kSends) != 0) rt::add_sent(t.dest, t.sent);
}

template <class Rule>
struct Blocks : Plan {
  static constexpr bool kBlocks = true;
  static constexpr bool kSynchronises = Rule::kSynchronises;
  MPI_Status own_status;

  template <class A>
  void before(A& args) {
    if constexpr (Rule::kNeedsStatus)
      if (ignored(args.template get<Role::status>()))
        args.template get<Role::status>() = provide(own_status);
  }
  template <class A>
  void after(A& args, Traffic& t, [[maybe_unused]] Op op) {
    Rule::measure(args, t);
    count_sent(t);
    if constexpr (Rule::kSynchronises) note_instance(t, op);
    if constexpr (Rule::kNeedsStatus) settle(t, *args.template get<Role::status>());
  }
};

template <class Rule>
struct Issues : Plan {
  static constexpr bool kSynchronises = Rule::kSynchronises;
  template <class A>
  void after(A& args, Traffic& t, Op) {
    Rule::measure(args, t);
  }
};

/// Describes the present call as the post of a request.
inline Post post_of(const Traffic& t) {
  const rt::ThreadState& self = rt::self();
  return {t.begin_ns, self.caller_pc, self.waited_ns, self.slot};
}

/// The largest number of bytes that may arrive for the request that the call of `t` makes, or for
/// the message that it matches.
inline uint64_t awaited_by(const Traffic& t) {
  return (t.flags & (kStatusBytes | kReceives)) != 0 ? t.awaited : t.received;
}

/// Stores a request or a matched message, with `flags` in addition to those of `t`. If the table is
/// full, the loss is counted, and the request stays unknown.
void remember(uint64_t key, const Traffic& t, Op op, uint8_t flags = 0);

template <class Rule>
struct Posts : Plan {
  static constexpr bool kSynchronises = Rule::kSynchronises;
  template <class A>
  void after(A& args, Traffic& t, Op op) {
    Rule::measure(args, t);
    count_sent(t);
    remember(request_key(*args.template get<Role::request>()), t, op);
  }
};

/// Makes a persistent request. Its bytes are counted each time that it is started, not here.
template <class Rule>
struct Prepares : Plan {
  static constexpr bool kSynchronises = Rule::kSynchronises;
  template <class A>
  void after(A& args, Traffic& t, Op op) {
    Rule::measure(args, t);
    remember(request_key(*args.template get<Role::request>()), t, op, kPersistent);
    const uint64_t awaited = awaited_by(t);
    t.awaited = t.sent > awaited ? t.sent : awaited;  // gives the call the message's size class
    t.sent = t.received = 0;
  }
};

/// Base of all rules.
struct Rule {
  static constexpr bool kNeedsStatus = false;
  static constexpr bool kSynchronises = false;  // no rank leaves before all have entered
};

// Two rules for calls that move no bytes themselves.
struct Nowhere : Rule {
  template <class A>
  static void measure(A&, Traffic&) {}
};
struct OnComm : Rule {
  template <class A>
  static void measure(A& args, Traffic& t) {
    t.joins(locate(args, t).nodes);
  }
};

}  // namespace apmt::shim
