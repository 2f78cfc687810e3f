// Why counters cannot be used on this machine.
#pragma once

namespace apmt::sampler {

/// The restriction by the kernel's setting, in parentheses after a blank; empty if the setting is
/// not the reason.
const char* perf_setting_forbids();

/// Why the kernel counts no cycles for this thread; nullptr if it does, or gives no reason.
const char* kernel_has_no_cycles();

}  // namespace apmt::sampler
