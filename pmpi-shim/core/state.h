// The shim's own state, in one place. It does not change after MPI_Init, except for counters and
// open requests.
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
  int open;                // the world model and sessions not yet finalised; atomic
  bool multiple;           // several threads may be in MPI at once
  uint64_t requests_lost;  // found no room in the table; atomic
  uint64_t comms_lost;
  uint64_t odd_times;  // of operations that ended; atomic
};
extern rt::PerRank<State> g_state;

inline State& state() { return g_state.here(); }

}  // namespace apmt::shim
