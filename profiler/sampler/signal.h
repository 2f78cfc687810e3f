// The signal of the sampler. The program may use the same signal: the program's handler is called
// for signals of other senders, and never for samples (signal_hook.cpp).
#pragma once

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

namespace apmt::sampler {

/// The functions with which a source of samples handles its signals. Both must be
/// async-signal-safe.
struct Receiver {
  bool (*is_ours)(const siginfo_t& info);  // whether the source sent the signal
  void (*take)(const siginfo_t& info, void* context);
};

/// From now on, sampling signals go to `receiver`, which must exist until the process ends. The
/// first call chooses the signal. Returns nullptr on success, otherwise the reason for the failure.
const char* claim_signal(const Receiver& receiver);

/// The number of the sampling signal, 0 before the first claim_signal().
int our_signal();

/// Whether the calling thread blocks the sampling signal.
bool signal_is_blocked();
/// Whether another thread of the process blocks the sampling signal; true if that is not known.
bool signal_is_blocked_by(pid_t tid);
/// To be called by a thread that blocks the sampling signal. Removes its pending sampling signals,
/// so that the program does not find them, and calls visit(info) for each. Signals of other senders
/// stay pending; behind sixteen of them, it looks no further. Async-signal-safe.
void take_pending(void (*visit)(const siginfo_t& info));

/// The C library's sigaction(), which signal_hook.cpp interposes.
int real_sigaction(int number, const struct sigaction* action, struct sigaction* before);

/// Whether the calling process is the recorded process, not its child (forked, or sharing its
/// memory after vfork).
bool owns_signal();
/// Whether this is the recorder's own action.
bool is_our_action(const struct sigaction& action);

/// The action that the program has set for the sampling signal. Async-signal-safe.
struct sigaction program_action();
void set_program_action(const struct sigaction& action);

}  // namespace apmt::sampler
