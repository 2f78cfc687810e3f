// Runs one command under supervision: keeps its output in a file, passes interruptions on to it,
// and ends it if apmt is killed.
#pragma once

#include <filesystem>
#include <functional>

#include "campaign/launching/held_signals.h"

namespace apmt {

/// While an object exists, an interruption (SIGINT, SIGTERM, SIGHUP, SIGQUIT) does not end the
/// process, so that no step is left half done; received() reports it. Signals that were ignored
/// before (nohup) stay ignored.
class InterruptionsHeld {
 public:
  InterruptionsHeld();

  /// The first interruption that has arrived; 0: none.
  int received();
  /// Waits for an interruption or the end of a child, for a second at most. Interruptions are kept
  /// for received(); returns the interruption, 0 for anything else.
  int wait_a_second();
  /// Restores the former handling of signals: for a child, before it executes another program.
  void restore() const { signals_.restore(); }

 private:
  HeldSignals signals_;
  int received_ = 0;
};

struct Supervised {
  int exit_code = 0;  // 128 + n when signal n ended it
  double elapsed_s = 0;
  int interruption = 0;  // the first that was handed on to it; its exit code says nothing then
};

/// Starts a child that calls `exec` and waits for it. Its output and errors go to `output`. Its
/// standard input is ours, rewound, if that is a file, and empty otherwise. It leads its own
/// process group; interruptions are passed on to it, and if it has not ended ten seconds later, it
/// is killed. `on_second` is called about once a second with the seconds since the start; if it
/// returns false, the child is asked to end.
Supervised run_supervised(const std::function<void()>& exec, const std::filesystem::path& output,
                          InterruptionsHeld* interruptions,
                          const std::function<bool(double)>& on_second = {});

}  // namespace apmt
