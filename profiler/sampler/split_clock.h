// A thread's CPU time inside MPI and outside, from its own CPU clock, which is read whenever the
// thread enters or leaves MPI. On shared cores, a tick may interrupt a thread a tenth of a second
// late, and its place then does not show where that time was spent. So the time of each side is
// attributed to the places that ticks find on that side.
#pragma once

#include <stdint.h>

namespace apmt::sampler {

/// All functions are async-signal-safe. A thread must keep its handler from running while it is
/// inside one of them.
class SplitClock {
 public:
  /// Begins, or begins again after end(): the totals are kept.
  void begin(int64_t cpu_ns) {
    is_on_ = true;
    seen_ns_ = cpu_ns;
  }
  void end() { is_on_ = false; }
  bool is_on() const { return is_on_; }

  /// Adds the time since the last call to the side of MPI where the thread was; unless it `counts`,
  /// it is discarded.
  void look(int64_t cpu_ns, bool in_mpi, bool counts) {
    if (counts) used_ns_[in_mpi] += static_cast<uint64_t>(cpu_ns - seen_ns_);
    seen_ns_ = cpu_ns;
  }

  /// Notes that periods were attributed to places on this side.
  void give(bool in_mpi, uint64_t periods) {
    if (is_on_) given_[in_mpi] += periods;
  }

  /// How many whole periods of this side's time have not been attributed.
  uint64_t owed(bool in_mpi, uint64_t period_ns) const {
    const uint64_t used = used_ns_[in_mpi] / period_ns;
    return used > given_[in_mpi] ? used - given_[in_mpi] : 0;
  }

  /// Outside MPI and inside.
  const uint64_t (&used_ns() const)[2] { return used_ns_; }
  const uint64_t (&given() const)[2] { return given_; }

  // Plain data, so that a thread-local object needs no constructor.
  bool is_on_;
  int64_t seen_ns_;
  uint64_t used_ns_[2];
  uint64_t given_[2];
};

}  // namespace apmt::sampler
