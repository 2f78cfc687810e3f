// Why counters cannot be used on this machine.
#pragma once

namespace apmt::sampler {

/// What the kernel's setting says about it, in parentheses after a blank; empty when that is not
/// the reason.
const char* perf_setting_forbids();

/// Why the kernel counts no cycles for this thread; nullptr where it does or does not say.
const char* kernel_has_no_cycles();

}  // namespace apmt::sampler
