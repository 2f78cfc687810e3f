// Signals that wait until somebody asks for them.
#pragma once

#include <csignal>
#include <span>

namespace apmt {

/// While it lives, these signals end nothing by themselves and wait to be asked for, and the end of
/// a child (SIGCHLD) with them. What was ignored before (nohup) stays ignored. What has not been
/// asked for at the end is forgotten.
class HeldSignals {
 public:
  explicit HeldSignals(std::span<const int> numbers);
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  /// Waits for one of them, SIGCHLD included.
  int next() const;
  /// The same, but no longer than so many seconds; 0: none arrived.
  int next_within(int seconds) const;
  /// As signals were before: in a child, before it becomes another program.
  void restore() const;

 private:
  sigset_t held_{};
  sigset_t before_{};
  struct sigaction child_before_ {};
};

}  // namespace apmt
