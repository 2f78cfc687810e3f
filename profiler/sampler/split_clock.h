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
  void begin(int64_t cpu_ns) { *this = {true, cpu_ns, {}}; }
  void end() { is_on_ = false; }
  bool is_on() const { return is_on_; }

  /// Since the last time the thread was inside MPI, or outside; what does not count is forgotten.
  void look(int64_t cpu_ns, bool in_mpi, bool counts) {
    if (counts) sides_[in_mpi].used_ns += static_cast<uint64_t>(cpu_ns - seen_ns_);
    seen_ns_ = cpu_ns;
  }

  /// So many periods were given to places on this side.
  void give(bool in_mpi, uint64_t periods, uint64_t period_ns) {
    sides_[in_mpi].given_ns += periods * period_ns;
  }

  /// Whole periods that the side has used and nobody was given.
  uint64_t owed(bool in_mpi, uint64_t period_ns) const {
    const Side& side = sides_[in_mpi];
    return side.used_ns > side.given_ns ? (side.used_ns - side.given_ns) / period_ns : 0;
  }

  // Plain data, so that it needs no constructor in a thread.
  struct Side {
    uint64_t used_ns;
    uint64_t given_ns;
  };
  bool is_on_;
  int64_t seen_ns_;
  Side sides_[2];  // outside MPI, inside
};

}  // namespace apmt::sampler
