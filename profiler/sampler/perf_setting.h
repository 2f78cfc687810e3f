// Why this machine does not let us count.
#pragma once

namespace apmt::sampler {

/// What the kernel's setting says about it, in parentheses after a blank; empty when that is not
/// the reason.
const char* perf_setting_forbids();

}  // namespace apmt::sampler
