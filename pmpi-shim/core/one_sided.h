// Rules and plans of one-sided communication. The bytes are counted in the rank that makes the
// call: a put as sent, a get as received. The table of peers counts messages only, so it does not
// contain these bytes.
#pragma once

#include "pmpi-shim/core/plans.h"
#include "pmpi-shim/core/state.h"

namespace apmt::shim {

template <class A>
const Members& locate_window(A& args, Traffic& t) {
  const Members& m =
      members_of_window(to_handle<MPI_Win>(args.template get<Role::win>()), t.scratch);
  t.on(m);
  return m;
}

/// False if the target is MPI_PROC_NULL; then no data moves.
template <class A>
bool locate_target(A& args, Traffic& t) {
  const Members& m = locate_window(args, t);
  const int target = args.template get<Role::target>();
  if (target == MPI_PROC_NULL) return false;
  t.peer = node_of(m.world_rank(target));
  return true;
}

template <class A>
uint64_t origin_bytes(A& args) {
  return bytes_of(args.template get<Role::origin_count>(), args.template get<Role::origin_type>());
}

struct OnWindow : Rule {
  template <class A>
  static void measure(A& args, Traffic& t) {
    t.peer = locate_window(args, t).nodes;
  }
};

struct Put : Rule {
  template <class A>
  static void measure(A& args, Traffic& t) {
    if (locate_target(args, t)) t.sent = origin_bytes(args);
  }
};

struct Get : Rule {
  template <class A>
  static void measure(A& args, Traffic& t) {
    if (locate_target(args, t)) t.received = origin_bytes(args);
  }
};

/// Whether the operation is MPI_NO_OP: then nothing is sent, and the origin's buffer, count and
/// type are ignored.
template <class A>
bool only_fetches(A& args) {
  return to_handle<MPI_Op>(args.template get<Role::op>()) == state().no_op;
}

struct GetAccumulate : Rule {
  template <class A>
  static void measure(A& args, Traffic& t) {
    if (!locate_target(args, t)) return;
    if (!only_fetches(args)) t.sent = origin_bytes(args);
    t.received =
        bytes_of(args.template get<Role::result_count>(), args.template get<Role::result_type>());
  }
};

struct FetchAndOp : Rule {
  template <class A>
  static void measure(A& args, Traffic& t) {
    if (!locate_target(args, t)) return;
    t.received = bytes_of(1, args.template get<Role::type>());
    if (!only_fetches(args)) t.sent = t.received;
  }
};
/// MPI_Compare_and_swap sends two values: the new one and the one to compare with.
struct CompareAndSwap : Rule {
  template <class A>
  static void measure(A& args, Traffic& t) {
    if (!locate_target(args, t)) return;
    t.received = bytes_of(1, args.template get<Role::type>());
    t.sent = 2 * t.received;
  }
};

struct ForgetsWin : Plan {
  static constexpr bool kBlocks = true;
  static constexpr bool kForgets = true;
  template <class A>
  static void forget(A& args) {
    forget_window(*args.template get<Role::win_ref>());
  }
  template <class A>
  void before(A& args) {
    forget(args);
  }
};

}  // namespace apmt::shim
