// Finds out why hardware counters cannot be used on this machine.
#pragma once

namespace apmt::sampler {

/// Text to append to a message if the kernel's setting forbids counters: a blank, and the setting
/// in parentheses. Empty if it permits them.
const char* perf_setting_forbids();

/// Why the kernel cannot count cycles for this thread; nullptr if it can, or if the reason is not
/// known.
const char* kernel_has_no_cycles();

}  // namespace apmt::sampler
