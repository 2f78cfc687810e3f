// Finds out whether an MPI call comes from inside another MPI call. This happens when MPI calls its
// own functions, and when callbacks of the program call MPI. The thread's `depth` is 1 during the
// outermost call. But an error handler of the program may leave MPI by longjmp or by an exception,
// and then `depth` stays 1. So a call that finds `depth` 1 checks whether the frame of the
// outermost call still exists.
#pragma once

#include "pmpi-shim/core/handle_table.h"
#include "pmpi-shim/core/targets.h"
#include "profiler/runtime/runtime.h"

namespace apmt::shim {

/// `frame` and `return_address` (here and below) are those of the wrapper.
inline void enter_outermost(rt::ThreadState& self, uintptr_t frame, uint64_t return_address) {
  self.depth = 1;
  self.outermost_frame = frame;
  self.outermost_return = return_address;
}

/// For a call that begins while another one seems to be active: whether this call is really inside
/// the other one.
bool is_inside(const rt::ThreadState& self, Op op, uintptr_t frame, uint64_t return_address);

inline bool is_nested(rt::ThreadState& self, Op op, uintptr_t frame, uint64_t return_address) {
  if (self.depth == 0) return false;
  if (is_inside(self, op, frame, return_address)) return true;
  self.depth = 0;
  rt::settle_samples(self);
  self.op = 0;
  return false;
}

}  // namespace apmt::shim
