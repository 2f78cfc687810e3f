// Whether the kernel lets this process count and sample; if not, the reason and the remedy.
#pragma once

#include <linux/perf_event.h>
#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>

namespace apmt {

/// perf_event_open for this process on any CPU; a descriptor, or -errno.
using PerfOpen = std::function<int(perf_event_attr*)>;
int system_perf_open(perf_event_attr* attributes);

enum class PerfState { kCounts, kCountsNothing, kNoPmu, kSetting, kForbidden, kMissing, kOther };

struct PerfAccess {
  PerfState state = PerfState::kOther;
  std::string what;    // one sentence
  std::string remedy;  // empty: nothing
};

/// Counts cycles over some work. `root` replaces "/".
PerfAccess examine_hardware_counters(const PerfOpen& open, const std::filesystem::path& root,
                                     bool is_virtual);

/// How many samples arrive when cycles are counted with overflow; -1: this is not possible.
int hardware_samples(const PerfOpen& open);
/// The same for the kernel's task clock.
int task_clock_samples(const PerfOpen& open);

/// How often a POSIX timer on this thread's CPU clock expires during some work.
int timer_samples();

}  // namespace apmt
