// Why counters cannot be used on this machine.
#pragma once

namespace apmt::sampler {

/// The kernel's setting that forbids counters, in parentheses after a blank; empty if no setting
/// does.
const char* perf_setting_forbids();

/// Why the kernel counts no cycles for this thread; nullptr if it does, or gives no reason.
const char* kernel_has_no_cycles();

}  // namespace apmt::sampler
