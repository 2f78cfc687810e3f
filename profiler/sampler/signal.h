// The one signal of the sampler. The program may use it as well: its own handler is then called for
// signals of other senders, and never for samples (signal_hook.cpp).
#pragma once

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

namespace apmt::sampler {

/// The functions of a source of samples that its signals call. Both are async-signal-safe.
struct Receiver {
  bool (*is_ours)(const siginfo_t& info);
  void (*take)(const siginfo_t& info, void* context);
};

/// From now on the sampling signal, which is chosen at the first call, goes to `receiver`, which
/// must exist until the process ends. nullptr on success.
const char* claim_signal(const Receiver& receiver);

/// The number of the sampling signal, 0 before the first claim_signal().
int our_signal();

/// Whether the calling thread blocks the sampling signal. Then a pending one would disturb a
/// program that waits for signals.
bool signal_is_blocked();
/// Whether another thread of the process blocks it; true if that is not known.
bool signal_is_blocked_by(pid_t tid);
/// Takes the sampling signals that are pending in the calling thread, which blocks them, so that
/// the program does not find them. Calls visit(info) for each. Signals of other senders stay.
/// Async-signal-safe.
void take_pending(void (*visit)(const siginfo_t& info));

/// The sigaction() that we interpose, for all other signals.
int real_sigaction(int number, const struct sigaction* action, struct sigaction* before);

/// Whether the calling process is the recorded one, not a forked child or a child that still shares
/// the recorded process's memory.
bool owns_signal();
/// Whether the kernel's action is the recorder's.
bool is_our_action(const struct sigaction& action);

/// The action that the program has set for the sampling signal. Async-signal-safe.
struct sigaction program_action();
void set_program_action(const struct sigaction& action);

}  // namespace apmt::sampler
