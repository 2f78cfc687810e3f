// A command that runs in our place: whoever signals us signals it, and we end as it does.
#pragma once

#include <functional>

namespace apmt {

struct CommandEnd {
  int exit_code = 0;  // 128 + n when signal n ended it
  int signal = 0;     // which one; 0: it ended by itself
};

/// Starts a child that calls `exec`, hands every signal on to it that a program may take, and waits
/// until it has ended, however long it takes to do so. It ends when we are killed.
///
/// Without a terminal the child leads a process group of its own: what is sent to our group reaches
/// us, and reaches it through us, once. At a terminal it stays in our group, so that it may read
/// and be stopped; what the terminal, or anybody, sends to the group has reached it already.
CommandEnd run_wrapped(const std::function<void()>& exec);

/// Ends this process by the signal that ended the command, without a core file of ours.
[[noreturn]] void end_by(int signal);

}  // namespace apmt
