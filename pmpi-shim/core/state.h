// State that several source files of the shim share: MPI's predefined handles, the world of this
// rank (MPI_COMM_WORLD or its counterpart in a session), and counters. After MPI_Init, mainly the
// counters change.
#pragma once

#include <stdint.h>

#include "family.h"
#include "profiler/runtime/per_rank.h"

namespace apmt::shim {

struct State {
  MPI_Comm comm_world;
  MPI_Comm comm_null;
  MPI_Request request_null;
  MPI_Datatype type_null;
  MPI_Op no_op;
  MPI_Group world_group;
  int world_size;
  int open;                // number of MPI_Init calls and sessions not yet finalised; atomic
  bool multiple;           // several threads may be in MPI at once
  uint64_t requests_lost;  // because the table was full; atomic
  uint64_t comms_lost;
  uint64_t odd_times;  // impossible times of operations, which were corrected; atomic
};
extern rt::PerRank<State> g_state;

inline State& state() { return g_state.here(); }

}  // namespace apmt::shim
