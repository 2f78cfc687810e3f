// How much CPU time a thread has used inside MPI and outside, by its own CPU clock, read whenever
// it enters or leaves MPI. On cores that are shared a tick of the kernel may find a thread a tenth
// of a second late: where it then is says nothing of where that time went. So each side is given to
// the places that ticks find on that side, as much as it has used.
#pragma once

#include <stdint.h>

namespace apmt::sampler {

/// Async-signal-safe all of it; of one thread, which sees to it that its handler does not come in
/// between.
class SplitClock {
 public:
  /// What it knows is kept over an end and another beginning.
  void begin(int64_t cpu_ns) {
    is_on_ = true;
    seen_ns_ = cpu_ns;
  }
  void end() { is_on_ = false; }
  bool is_on() const { return is_on_; }

  /// Since the last time the thread was inside MPI, or outside; what does not count is forgotten.
  void look(int64_t cpu_ns, bool in_mpi, bool counts) {
    if (counts) used_ns_[in_mpi] += static_cast<uint64_t>(cpu_ns - seen_ns_);
    seen_ns_ = cpu_ns;
  }

  /// So many periods were given to places on this side.
  void give(bool in_mpi, uint64_t periods) {
    if (is_on_) given_[in_mpi] += periods;
  }

  /// Whole periods that the side has used and nobody was given.
  uint64_t owed(bool in_mpi, uint64_t period_ns) const {
    const uint64_t used = used_ns_[in_mpi] / period_ns;
    return used > given_[in_mpi] ? used - given_[in_mpi] : 0;
  }

  /// Outside MPI and inside.
  const uint64_t (&used_ns() const)[2] { return used_ns_; }
  const uint64_t (&given() const)[2] { return given_; }

  // Plain data, so that it needs no constructor in a thread.
  bool is_on_;
  int64_t seen_ns_;
  uint64_t used_ns_[2];
  uint64_t given_[2];
};

}  // namespace apmt::sampler
