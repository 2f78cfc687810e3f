// Calls that start, pause and end the recording.
#pragma once

#include "pmpi-shim/core/plans.h"
#include "pmpi-shim/core/targets.h"

namespace apmt::shim {

/// At the entry of MPI_Init and similar calls. True: this process is to be recorded, and the
/// recording exists.
bool prepare();
/// After the world model was initialised successfully.
void begin_world();
/// After a session was opened successfully; sessions have no MPI_COMM_WORLD.
void begin_session(Session session);
/// Before MPI_Finalize.
void end_world();
/// Before a session is closed. True if neither another session nor the world model is still open.
bool end_session();
void end_returned();
void pause_or_resume(int level);

struct Lifecycle : Plan {
  static constexpr bool kLifecycle = true;

  template <class A>
  static int call(A& args, Op op) {
    return args.call(next_function(op));
  }
};

struct Init : Lifecycle {
  template <class A>
  static int run(A& args, Op op) {
    const bool recording = prepare();
    const int result = call(args, op);
    if (recording && result == MPI_SUCCESS) begin_world();
    return result;
  }
};
using InitThread = Init;

struct SessionInit : Lifecycle {
  template <class A>
  static int run(A& args, Op op) {
    const bool recording = prepare();
    void* const session = args.template get<Role::out>();
    const int result = call(args, op);
    if (recording && result == MPI_SUCCESS) begin_session(*static_cast<Session*>(session));
    return result;
  }
};

struct Finalize : Lifecycle {
  template <class A>
  static int run(A& args, Op op) {
    end_world();
    const int result = call(args, op);
    end_returned();
    return result;
  }
};

struct SessionFinalize : Lifecycle {
  template <class A>
  static int run(A& args, Op op) {
    const bool last = end_session();
    const int result = call(args, op);
    if (last) end_returned();
    return result;
  }
};

struct Abort : Lifecycle {
  template <class A>
  static int run(A& args, Op op) {
    rt::mark_abort();
    return call(args, op);
  }
};

/// 0 pauses, anything else resumes, as with other profilers.
struct Pcontrol : Lifecycle {
  template <class A>
  static int run(A& args, Op op) {
    pause_or_resume(args.template get<Role::num>());
    return call(args, op);
  }
};

}  // namespace apmt::shim
