// The kernel's task clock on the calling thread. It uses a timer of its own, not the tick. After
// every period of CPU time the kernel records where the thread is in user mode, or where it made
// the present system call. No thread is interrupted: the records are read by handlers, and by
// code that changes what samples belong to.
#pragma once

#include <stdint.h>

#include "profiler/sampler/counter_buffer.h"

namespace apmt::sampler {

/// All functions are async-signal-safe.
class TaskClock {
 public:
  /// nullptr on success, otherwise why not.
  const char* start(uint64_t period_ns);
  /// For a handler: what written() points to stays readable.
  void stop() { buffer_.retire(); }
  /// For the end of the thread.
  void end() { buffer_.unmap(); }
  bool is_on() const { return buffer_.is_mapped(); }

  const unsigned long long* written() const { return buffer_.written(); }
  bool has_new() const { return buffer_.has_new(); }
  uint64_t taken() const { return buffer_.visited(); }

  /// Calls visit(pc) for each sample since the last time, in order.
  template <class Visit>
  void visit_new(Visit visit) {
    buffer_.visit_records([&](uint32_t type, uint64_t at, bool) {
      // A record: header, which set of registers follows (0: none), program counter.
      if (type == PERF_RECORD_SAMPLE && buffer_.word(at + 8) != PERF_SAMPLE_REGS_ABI_NONE)
        visit(buffer_.word(at + 16));
    });
  }

 private:
  CounterBuffer buffer_;
};

/// Why the kernel would refuse one; nullptr if it would not. To be called before the first start().
const char* task_clock_is_refused();

/// Whether the kernel omits time inside the kernel. It does so for ordinary users where
/// kernel.perf_event_paranoid is 2.
bool task_clock_omits_kernel();

}  // namespace apmt::sampler
