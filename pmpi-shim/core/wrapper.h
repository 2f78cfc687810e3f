// What every wrapper does: it decides whether to record the call, calls MPI and measures the time.
#pragma once

#include "pmpi-shim/core/caller.h"
#include "pmpi-shim/core/nesting.h"
#include "pmpi-shim/core/state.h"
#include "pmpi-shim/core/targets.h"
#include "pmpi-shim/core/traffic.h"
#include "pmpi-shim/core/turns.h"
#include "profiler/runtime/call_clock.h"
#include "profiler/runtime/callgrind_control.h"

namespace apmt::shim {

/// Makes and records a call, with the help of the function's plan.
template <Op op, class Plan, class A>
int record(A& args, rt::ThreadState& self, uint64_t return_address, uintptr_t frame) {
  Plan plan;
  enter_outermost(self, frame, return_address);
  const uint64_t caller = program_caller(return_address, frame);
  rt::settle_samples(self);
  self.caller_pc = caller;
  self.op = number(op);
  charge_computation();
  if (rt::in_callgrind()) rt::callgrind_enters_mpi();
  plan.before(args);
  const int64_t begin_ns = rt::call_ns();
  const int result = args.call(next_function(op));
  const int64_t now_ns = rt::call_ns();
  // call_ns() may change from one clock to another during the call. The two clocks may differ a
  // little, so the end may seem to be before the beginning.
  const int64_t end_ns = now_ns > begin_ns ? now_ns : begin_ns;
  Traffic traffic;
  traffic.begin_ns = begin_ns;
  traffic.end_ns = end_ns;
  if (result == MPI_SUCCESS)
    plan.after(args, traffic, op);
  else
    plan.failed(args);
  const int64_t time_ns = end_ns - begin_ns;
  if constexpr (Plan::kCompletes) self.waited_ns += time_ns;
  rt::add_call({caller, number(op), traffic.comm_size, traffic.peer, traffic.sent, traffic.received,
                traffic.size(), time_ns, Plan::kBlocks ? time_ns : 0});
  if (rt::in_callgrind()) rt::callgrind_leaves_mpi(number(op));
  rt::settle_samples(self);
  self.op = 0;  // last, because samples while `op` is 0 count as computation of the program
  self.depth = 0;
  forget_own_work();
  return result;
}

template <Op op, class Plan, Role... kRoles, class... T>
[[gnu::always_inline]] inline int wrap(RoleList<kRoles...>, void* caller, void* frame_address,
                                       T... values) {
  enter_rank();
  rt::ThreadState& self = rt::self();
  const uintptr_t frame = reinterpret_cast<uintptr_t>(frame_address);
  const uint64_t return_address = reinterpret_cast<uint64_t>(caller);
  Args<RoleList<kRoles...>, T...> args{values...};
  if (is_nested(self, op, frame, return_address)) {
    if constexpr (Plan::kForgets) Plan::forget(args);
    return args.call(real_function(op));
  }
  if constexpr (Plan::kLifecycle) {
    enter_outermost(self, frame, return_address);
    if (rt::wrapping()) charge_computation();
    if (rt::recording()) rt::settle_samples(self);
    self.caller_pc = return_address;
    self.op = number(op);  // from now on, samples belong to this call
    const int result = Plan::run(args, op);
    if (rt::recording()) rt::settle_samples(self);
    self.op = 0;
    self.depth = 0;
    if (rt::wrapping()) forget_own_work();
    return result;
  } else {
    if (!rt::wrapping()) {
      // This is a call before MPI_Init, after MPI_Finalize, or in a process that is not recorded.
      // The depth is set all the same, because next_function() may belong to another tool, which
      // calls this wrapper again; without the depth, the recursion would not end.
      enter_outermost(self, frame, return_address);
      const int result = args.call(next_function(op));
      self.depth = 0;
      return result;
    }
    return record<op, Plan>(args, self, return_address, frame);
  }
}

}  // namespace apmt::shim
