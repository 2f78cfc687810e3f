// Runs a command in such a way that apmt's caller sees no difference: passes signals on to it, and
// lets apmt end with its exit code or by the same signal.
#pragma once

#include <functional>

namespace apmt {

struct CommandEnd {
  int exit_code = 0;  // 128 + n when signal n ended it
  int signal = 0;     // the signal; 0: it ended by itself
};

/// Starts a child that calls `exec`, passes on the signals that users and batch systems send, and
/// waits until the child has ended, however long that takes. If this process is killed, the child
/// ends, too.
///
/// Without a terminal, the child leads its own process group. A signal to apmt's group then reaches
/// only apmt, which passes it on, so the child gets it once. At a terminal, the child stays in
/// apmt's group, so that it can read from the terminal and be stopped; signals to the group reach
/// it directly and are not passed on.
CommandEnd run_wrapped(const std::function<void()>& exec);

/// Ends this process with the signal that ended the command, without writing a core file.
[[noreturn]] void end_by(int signal);

}  // namespace apmt
