// Support for SMPI, in which all ranks share a process and take turns: while one rank is inside an
// MPI call, others run. These functions keep track of the active rank, and keep the recorder's own
// work out of the simulated time. With other MPIs, where each rank is a process, they do nothing.
#pragma once

#include "profiler/runtime/per_rank.h"

namespace apmt::shim {

#ifndef APMT_RANKS_SHARE_A_PROCESS

inline void enter_rank() {}
inline void charge_computation() {}
inline void forget_own_work() {}
struct Turn {};

#else

/// Called at the entry of a call: makes the calling rank the active one.
void enter_rank();
/// Adds the program's computation before this call to the simulated time, so that the simulated
/// clock shows the time at which the call begins.
void charge_computation();
/// Called before a call returns to the program, so that the recorder's work since MPI returned
/// takes no simulated time.
void forget_own_work();

/// An object that exists during a call to MPI. Its destructor makes this rank the active one again.
class Turn {
 public:
  Turn();
  ~Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  const int rank_;
};

#endif

}  // namespace apmt::shim
