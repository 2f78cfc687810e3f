// Where samples come from. A source runs per thread and calls take_sample() in its signal handler.
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "profiler/profile_format.h"

namespace apmt::sampler {

/// Of one sample.
struct SampleCost {
  uint64_t whole_ns;    // its delivery by the kernel included
  uint64_t handler_ns;  // the part inside our handler
};

/// Constant expressions all: they are used before any constructor of ours has run.
struct Source {
  format::SampleSource kind;
  const char* event_name;  // as the profile names it
  /// Tries the source on the calling thread by really starting it. nullptr on success, otherwise
  /// why not. Leaves it running at `period` (ns; the hardware source knows its own).
  const char* (*start_thread)(uint64_t period);
  void (*stop_thread)();
  /// As start_thread(), for another thread of the process; nullptr: only a thread itself can.
  const char* (*start_other_thread)(pid_t tid, uint64_t period);
  /// What one sample costs on this machine, delivery by the kernel included. nullptr on success,
  /// otherwise why the source does not work here. The calling thread is not being sampled.
  const char* (*measure_cost)(SampleCost* cost);
  /// The calling thread's samples begin, and end, to count as the program's own work, and as that
  /// of MPI; nullptr: nothing is to be done.
  void (*begin_main)();
  void (*end_main)();
  /// Notes what the calling thread's counters say themselves; nullptr: the source has none.
  void (*note_totals)();
  /// Takes the samples that the kernel has written down for the calling thread, async-signal-safe;
  /// nullptr: it writes none that no signal tells of.
  void (*take_written)();
  /// The calling thread has blocked our signal: until it lets it through again, none is sent to it;
  /// what it computed meanwhile then belongs to `pc`. Async-signal-safe both; nullptr: nothing is
  /// to be done.
  void (*hold)();
  void (*release)(uint64_t pc);
};

extern const Source kHardware;
extern const Source kTaskClock;
extern const Source kPosixTimer;

/// Sampling may cost 1/200 of the time, 0.5 %, and gives at most 1,000 samples a second and thread.
inline constexpr uint64_t kCostShareInverse = 200;
inline constexpr uint64_t kShortestPeriodNs = 1000000;
inline constexpr uint64_t kLongestPeriodNs = 50000000;
constexpr uint64_t affordable_period_ns(const SampleCost& cost) {
  const uint64_t ns = cost.whole_ns * kCostShareInverse;
  return ns < kShortestPeriodNs ? kShortestPeriodNs : ns > kLongestPeriodNs ? kLongestPeriodNs : ns;
}

/// Records one sample of event number `event` at `pc` that stands for `weight` periods.
/// async-signal-safe; errno is the caller's business.
void take_sample(uint64_t pc, uint32_t event, uint64_t weight);

/// Notes what the calling thread's counter of event number `event` says. async-signal-safe.
void note_total(uint32_t event, const format::CounterTotal& total);

/// A handler, or who else takes samples, begins and ends: what it and the kernel's part in so many
/// deliveries cost adds up, and when it was is the latest that a killed process tells.
/// async-signal-safe.
int64_t handler_begins();
void handler_ends(int64_t begin_ns, uint64_t deliveries = 1);

/// See Source. Nothing when there is none.
void hold_samples();
void release_samples(uint64_t pc);

/// Whether a sample taken now is the program's own computation; async-signal-safe.
bool is_computing();

/// The program counter in a signal's context. async-signal-safe.
uint64_t program_counter(void* context);

}  // namespace apmt::sampler
