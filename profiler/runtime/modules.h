// Which objects are mapped where, so that offline code can attribute samples to functions.
#pragma once

#include "profiler/runtime/state.h"

namespace apmt::rt {

/// Adds the loaded objects that the recording does not have yet. Ordinary context (takes the
/// loader's lock).
void record_modules();

/// Adds the object with the code at `pc` if the recording lacks it: it was loaded recently, and a
/// process that is killed cannot add it later. Async-signal-safe, keeps errno.
void follow_code(const Recording& recording, uint64_t pc);

/// Marks recorded objects that have been unloaded, and keeps the counts of their code apart,
/// because other objects may get the same addresses. Ordinary context (takes the loader's lock).
void detach_unloaded_modules();

}  // namespace apmt::rt
