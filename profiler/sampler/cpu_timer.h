// POSIX timers on the CPU clocks of threads. The timers send the sampling signal (signal.h). They
// cost nearly nothing, but the kernel checks them only at its ticks. If a timer expires several
// times within a tick, the kernel sends one signal, with the number of further expirations.
#pragma once

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

#include "profiler/sampler/source.h"

namespace apmt::sampler {

/// Whether a signal came from one of these timers. Async-signal-safe.
bool is_from_cpu_timer(const siginfo_t& info);

/// Starts the calling thread's timer. claim_signal() must have been called. Returns nullptr on
/// success, otherwise the reason for the failure.
const char* start_cpu_timer(uint64_t period_ns);
/// Starts the timer of another thread of the process. look_after_other_timers() deletes it some
/// time after that thread has ended.
const char* start_cpu_timer_of(pid_t tid, uint64_t period_ns);
void stop_cpu_timer();
/// Starts a new period of the calling thread's timer, if it has one.
void restart_cpu_timer(uint64_t period_ns);

/// Stops the calling thread's timer, whichever thread started it; *left_ns is the rest of its
/// period. False if there is no timer. This function and the next one are async-signal-safe.
bool hold_cpu_timer(int64_t* left_ns);
/// Starts the stopped timer again: its next period ends after `left_ns`.
void release_cpu_timer(int64_t left_ns, uint64_t period_ns);

/// Deletes timers of threads that have ended; the kernel does not do that. Each call checks at most
/// one timer, in turn, so that handlers are quick even with a thousand timers. Async-signal-safe.
void look_after_other_timers();

/// Measures the cost of a signal of the calling thread's timer, including its handler, and the cost
/// of the handler alone. The kernel's tick is not included, because it happens anyway. Returns
/// nullptr on success, otherwise the reason why the cost is not known.
const char* time_timer_signals(SampleCost* cost);

}  // namespace apmt::sampler
