// The one signal of the sampler.
#pragma once

#include <signal.h>
#include <sys/types.h>

namespace apmt::sampler {

using Handler = void (*)(int, siginfo_t*, void*);

/// Installs `handler` for our signal, which is chosen at the first call. nullptr on success.
const char* claim_signal(Handler handler);

/// Our signal's number, 0 before the first claim_signal().
int our_signal();

/// A thread that blocks our signal would find it pending when it waits for signals itself.
bool signal_is_blocked();
/// The same of another thread of the process. True when it is not known.
bool signal_is_blocked_by(pid_t tid);

/// A signal of our number that was not ours. async-signal-safe.
void count_foreign_signal();

}  // namespace apmt::sampler
