// One command run to its end under supervision: its output kept in a file, interruptions handed on
// to it, nothing of it left behind when we die.
#pragma once

#include <filesystem>
#include <functional>

#include "campaign/launching/held_signals.h"

namespace apmt {

/// While it lives, an interruption (SIGINT, SIGTERM, SIGHUP, SIGQUIT) ends nothing by itself: it
/// waits to be asked for, so that no step is cut in two. What was ignored before (nohup) stays
/// ignored.
class InterruptionsHeld {
 public:
  InterruptionsHeld();

  /// The first interruption that has arrived; 0: none.
  int received();
  /// Waits for an interruption or the end of a child, but no longer than a second. What arrives is
  /// kept for received(); returns the interruption, 0 for anything else.
  int wait_a_second();
  /// As signals were before: in a child, before it becomes another program.
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

/// Starts a child that calls `exec` and waits for it. Its output and errors go to `output`; its
/// standard input is ours, rewound, when that is a file, and empty otherwise. It leads a process
/// group of its own; interruptions are passed on to it, and it is killed when it stays ten seconds
/// longer. `on_second` is called about once a second with the seconds since the start; when it says
/// false, enough was seen, and the child is asked to end.
Supervised run_supervised(const std::function<void()>& exec, const std::filesystem::path& output,
                          InterruptionsHeld* interruptions,
                          const std::function<bool(double)>& on_second = {});

}  // namespace apmt
