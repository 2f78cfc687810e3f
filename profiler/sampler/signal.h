// The one signal of the sampler. The program may take it as well: its own handler is then called
// for what others send, and never for what is ours (signal_hook.cpp).
#pragma once

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

namespace apmt::sampler {

/// A source of samples, as its signals see it. Both are async-signal-safe.
struct Receiver {
  bool (*is_ours)(const siginfo_t& info);
  void (*take)(const siginfo_t& info, void* context);
};

/// From now on our signal, which is chosen at the first call, goes to `receiver`, which outlives
/// the process. nullptr on success.
const char* claim_signal(const Receiver& receiver);

/// Our signal's number, 0 before the first claim_signal().
int our_signal();

/// A thread that blocks our signal would find it pending when it waits for signals itself.
bool signal_is_blocked();
/// The same of another thread of the process. True when it is not known.
bool signal_is_blocked_by(pid_t tid);
/// Takes the signals of ours that wait in the calling thread, which blocks them: the program would
/// find them. visit(info) for each. Others' stay. Async-signal-safe.
void take_pending(void (*visit)(const siginfo_t& info));

/// sigaction() as the next library has it, which the program means when it is not our signal.
int real_sigaction(int number, const struct sigaction* action, struct sigaction* before);

/// Whether the calling process is the one whose signal it is: neither a forked child, nor one that
/// still shares our memory.
bool owns_signal();
/// Whether the kernel's action is ours.
bool is_our_action(const struct sigaction& action);

/// What the program has set for our signal. Async-signal-safe.
struct sigaction program_action();
void set_program_action(const struct sigaction& action);

}  // namespace apmt::sampler
