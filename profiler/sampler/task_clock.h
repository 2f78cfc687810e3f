// The Linux kernel's task clock of the calling thread: a perf event with a timer that does not
// depend on the kernel's tick. After each period of CPU time, the kernel records the position of
// the thread in the program; if the thread is in a system call, this is the place of the call. The
// task clock sends no signal: the timer's signal handler (clocks.cpp) and MPI wrappers read the
// records later.
#pragma once

#include <stdint.h>

#include "profiler/sampler/counter_buffer.h"

namespace apmt::sampler {

/// All functions are async-signal-safe.
class TaskClock {
 public:
  /// Returns nullptr on success, otherwise the reason for the failure.
  const char* start(uint64_t period_ns);
  /// For use in a handler: the memory to which written() points stays readable.
  void stop() { buffer_.retire(); }
  /// For use at the end of the thread.
  void end() { buffer_.unmap(); }
  bool is_on() const { return buffer_.is_mapped(); }

  const unsigned long long* written() const { return buffer_.written(); }
  bool has_new() const { return buffer_.has_new(); }
  uint64_t taken() const { return buffer_.visited(); }

  /// Calls visit(pc) for each sample since the last visit, in order.
  template <class Visit>
  void visit_new(Visit visit) {
    buffer_.visit_records([&](uint32_t type, uint64_t at, bool) {
      // Words of a record: header, ABI of the registers (0: no registers follow), program counter.
      if (type == PERF_RECORD_SAMPLE && buffer_.word(at + 8) != PERF_SAMPLE_REGS_ABI_NONE)
        visit(buffer_.word(at + 16));
    });
  }

 private:
  CounterBuffer buffer_;
};

/// Why the kernel would refuse a task clock; nullptr if it would not. Must be called before the
/// first start().
const char* task_clock_is_refused();

/// Whether task clocks omit time inside the kernel. They do so for ordinary users if
/// kernel.perf_event_paranoid is 2.
bool task_clock_omits_kernel();

}  // namespace apmt::sampler
