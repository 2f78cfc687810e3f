// Ranks that share a process alternate: inside an MPI call control moves to others. These functions
// track the active rank, and keep our own work out of the simulated time. Where a rank is a process
// they do nothing.
#pragma once

#include "profiler/runtime/per_rank.h"

namespace apmt::shim {

#ifndef APMT_RANKS_SHARE_A_PROCESS

inline void enter_rank() {}
inline void charge_computation() {}
inline void forget_own_work() {}
struct Turn {};

#else

/// At the entry of a call: the rank that made it is the one at work.
void enter_rank();
/// Hands the program's computation up to this call to the simulator, so that the clock stands where
/// the call begins.
void charge_computation();
/// Before the call returns to the program: what we did since MPI returned costs it nothing.
void forget_own_work();

/// Around a call of MPI: afterwards this rank is the active one again.
class Turn {
 public:
  Turn() : rank_(rt::g_rank_here) {}
  ~Turn() { rt::g_rank_here = rank_; }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  const int rank_;
};

#endif

}  // namespace apmt::shim
