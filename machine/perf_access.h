// Whether the kernel lets this process count and sample; if not, the reason and the remedy.
#pragma once

#include <linux/perf_event.h>
#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>

namespace apmt {

/// perf_event_open for the calling thread on any CPU. Returns a descriptor, or -errno.
using PerfOpen = std::function<int(perf_event_attr*)>;
int system_perf_open(perf_event_attr* attributes);

enum class PerfState { kCounts, kCountsNothing, kNoPmu, kSetting, kForbidden, kMissing, kOther };

struct PerfAccess {
  PerfState state = PerfState::kOther;
  std::string what;    // one sentence
  std::string remedy;  // empty: none
};

/// Tries to count the cycles of some work. `root` replaces "/".
PerfAccess examine_hardware_counters(const PerfOpen& open, const std::filesystem::path& root,
                                     bool is_virtual);

/// How many samples a counter of cycles gives during some work; -1: it cannot be opened.
int hardware_samples(const PerfOpen& open);
/// How many samples the kernel's task clock gives during some work; -1: it cannot be opened.
int task_clock_samples(const PerfOpen& open);

/// Whether a POSIX timer on this process's CPU clock expires: a positive number as soon as it has
/// expired, 0 if it has not within 0.2 s of CPU time, -1 if it cannot be created.
int timer_samples();

}  // namespace apmt
