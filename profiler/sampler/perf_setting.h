// Finds out why hardware counters cannot be used on this machine.
#pragma once

namespace apmt::sampler {

/// Text about the kernel's setting that forbids counters, in parentheses after a blank; empty if
/// the setting permits them.
const char* perf_setting_forbids();

/// Why the kernel cannot count cycles for this thread; nullptr if it can, or if the reason is not
/// known.
const char* kernel_has_no_cycles();

}  // namespace apmt::sampler
