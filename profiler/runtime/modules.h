// Which objects are mapped where, so that samples can be given to functions offline.
#pragma once

#include "profiler/runtime/state.h"

namespace apmt::rt {

/// Adds the loaded objects that the recording does not have yet. Ordinary context (takes the
/// loader's lock).
void record_modules();

/// Adds the object whose code is at `pc` when the recording does not have it: one that was loaded
/// since (a killed process has no later chance to add it). Async-signal-safe, keeps errno.
void follow_code(const Recording& recording, uint64_t pc);

/// Notes which recorded objects are gone, and keeps apart what was counted in their code: the next
/// one may be loaded to the same addresses. Ordinary context (takes the loader's lock).
void detach_unloaded_modules();

}  // namespace apmt::rt
