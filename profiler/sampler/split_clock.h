// Splits a thread's CPU time into time inside MPI and time outside, by reading the thread's CPU
// clock whenever it enters or leaves MPI. This is needed on shared cores, where a tick may
// interrupt a thread a tenth of a second late: the function in which the tick finds it does not
// show where it spent that time. With the split, time inside MPI is attributed only to places
// inside MPI at which ticks find the thread, and time outside MPI only to places outside.
#pragma once

#include <stdint.h>

namespace apmt::sampler {

/// All functions are async-signal-safe. While a thread is in one of them, its signal handler must
/// not call any of them.
class SplitClock {
 public:
  /// Begins the split, or resumes it after end(); the totals are kept.
  void begin(int64_t cpu_ns) {
    is_on_ = true;
    seen_ns_ = cpu_ns;
  }
  void end() { is_on_ = false; }
  bool is_on() const { return is_on_; }

  /// Adds the time since the last call to the time inside MPI or outside, according to `in_mpi`.
  /// Discards it if `counts` is false.
  void look(int64_t cpu_ns, bool in_mpi, bool counts) {
    if (counts) used_ns_[in_mpi] += static_cast<uint64_t>(cpu_ns - seen_ns_);
    seen_ns_ = cpu_ns;
  }

  /// Notes that `periods` periods were attributed to addresses inside MPI or outside.
  void give(bool in_mpi, uint64_t periods) {
    if (is_on_) given_[in_mpi] += periods;
  }

  /// The number of whole periods inside MPI, or outside, that have not been attributed yet.
  uint64_t owed(bool in_mpi, uint64_t period_ns) const {
    const uint64_t used = used_ns_[in_mpi] / period_ns;
    return used > given_[in_mpi] ? used - given_[in_mpi] : 0;
  }

  /// Nanoseconds used and periods attributed: [0] outside MPI, [1] inside.
  const uint64_t (&used_ns() const)[2] { return used_ns_; }
  const uint64_t (&given() const)[2] { return given_; }

  // Plain data, so that a thread-local object needs no constructor.
  bool is_on_;
  int64_t seen_ns_;
  uint64_t used_ns_[2];
  uint64_t given_[2];
};

}  // namespace apmt::sampler
