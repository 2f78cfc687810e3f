// POSIX timers on the CPU clocks of threads, which send our signal (signal.h). Nearly free, but
// they are looked at by the kernel's tick only; expiries that fell into one tick arrive as one
// signal with an overrun count.
#pragma once

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

#include "profiler/sampler/source.h"

namespace apmt::sampler {

/// Whether a signal came from one of our timers. Async-signal-safe.
bool is_from_cpu_timer(const siginfo_t& info);

/// Starts the calling thread's timer, after claim_signal(). nullptr on success, otherwise why not.
const char* start_cpu_timer(uint64_t period_ns);
/// The same for another thread of the process, which we do not see end.
const char* start_cpu_timer_of(pid_t tid, uint64_t period_ns);
void stop_cpu_timer();
/// Begins a period of the calling thread's timer anew, when it has one.
void restart_cpu_timer(uint64_t period_ns);

/// The calling thread's timer, whoever made it, stops; *left_ns is what its period had left. False
/// when it has none. Async-signal-safe, as is the next.
bool hold_cpu_timer(int64_t* left_ns);
/// It goes on: its next period ends after so long.
void release_cpu_timer(int64_t left_ns, uint64_t period_ns);

/// The kernel keeps the timer of a thread that has ended until somebody deletes it: now and then
/// looks after one of them in turn, so that handlers take no longer for a thousand.
/// Async-signal-safe.
void look_after_other_timers();

/// Times signals as the calling thread's timer sends them, and its handler also by itself. The tick
/// that expires the timer comes in any case; ours are the signal and the handler. nullptr on
/// success, otherwise why it is not known.
const char* time_timer_signals(SampleCost* cost);

}  // namespace apmt::sampler
