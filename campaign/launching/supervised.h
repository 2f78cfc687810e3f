// Runs one command under supervision: keeps its output in a file, passes interruptions on to it,
// and ends it if apmt is killed.
#pragma once

#include <filesystem>
#include <functional>

#include "campaign/launching/held_signals.h"

namespace apmt {

/// While an object of this class exists, an interruption (SIGINT, SIGTERM, SIGHUP, SIGQUIT) does
/// not end the process, so that no step stays half done; received() reports it. Signals that were
/// ignored before (nohup) stay ignored.
class InterruptionsHeld {
 public:
  InterruptionsHeld();

  /// The first interruption that has arrived; 0: none.
  int received();
  /// Waits at most a second for an interruption or the end of a child. Returns the interruption,
  /// which received() also keeps, or 0.
  int wait_a_second();
  /// Restores the earlier handling of signals. A child calls this before it executes a program.
  void restore() const { signals_.restore(); }

 private:
  HeldSignals signals_;
  int received_ = 0;
};

struct Supervised {
  int exit_code = 0;  // 128 + n if signal n ended the command; means nothing after an interruption
  double elapsed_s = 0;
  int interruption = 0;  // the first signal that was passed on to the command; 0: none
};

/// Starts a child that calls `exec`, and waits until it has ended. The child leads its own process
/// group.
/// - Its output and errors go to `output`. If apmt's standard input is a file, the child reads it
///   from the beginning; otherwise the child's standard input is empty.
/// - Interruptions are passed on to it; if it has not ended ten seconds later, it is killed.
/// - About once a second, `on_second` is called with the seconds since the start; if it returns
///   false, the child gets SIGTERM and ten seconds to end.
Supervised run_supervised(const std::function<void()>& exec, const std::filesystem::path& output,
                          InterruptionsHeld* interruptions,
                          const std::function<bool(double)>& on_second = {});

}  // namespace apmt
