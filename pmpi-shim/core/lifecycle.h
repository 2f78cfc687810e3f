// What the recorder does at the MPI calls that start, pause and end the recording: MPI_Init,
// MPI_Session_init, MPI_Pcontrol, MPI_Finalize and similar.
#pragma once

#include "pmpi-shim/core/plans.h"
#include "pmpi-shim/core/targets.h"

namespace apmt::shim {

/// To be called at the entry of MPI_Init and similar calls. Creates the recording. Returns false if
/// this process is not recorded.
bool prepare();
/// To be called when MPI_Init has succeeded.
void begin_world();
/// To be called when a session has been opened; sessions have no MPI_COMM_WORLD.
void begin_session(Session session);
/// To be called before MPI_Finalize.
void end_world();
/// To be called before a session is closed. True if no other session is open and MPI_COMM_WORLD is
/// not in use.
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

/// Level 0 pauses the recording, any other level resumes it, as with other profilers.
struct Pcontrol : Lifecycle {
  template <class A>
  static int run(A& args, Op op) {
    pause_or_resume(args.template get<Role::num>());
    return call(args, op);
  }
};

}  // namespace apmt::shim
