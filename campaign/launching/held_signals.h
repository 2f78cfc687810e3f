// Signals that stay pending until next() fetches them.
#pragma once

#include <csignal>
#include <span>

namespace apmt {

/// While an object of this class exists, the given signals and SIGCHLD (the end of a child) have no
/// effect until they are fetched. Signals that were ignored before (nohup) stay ignored. The
/// destructor drops signals that were not fetched.
class HeldSignals {
 public:
  explicit HeldSignals(std::span<const int> numbers);
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  /// Waits for one of these signals or SIGCHLD, and returns it.
  int next() const;
  /// Like next(), but waits at most this many seconds; returns 0 if none arrived.
  int next_within(int seconds) const;
  /// Restores the earlier handling of signals. A child calls this before it executes a program.
  void restore() const;

 private:
  sigset_t held_{};
  sigset_t before_{};
  struct sigaction child_before_ {};
};

}  // namespace apmt
