// Records which objects are mapped at which addresses, so that samples can be attributed to
// functions later.
#pragma once

#include "profiler/runtime/state.h"

namespace apmt::rt {

/// Adds loaded objects that are not in the recording yet. Not async-signal-safe (takes the loader's
/// lock).
void record_modules();

/// Adds the object with the code at `pc` if it is not in the recording yet. This is done as soon as
/// the code is seen, because the process may be killed later. Async-signal-safe; keeps errno.
void follow_code(const Recording& recording, uint64_t pc);

/// Marks recorded objects that have been unloaded. From then on, counts of their code refer to the
/// object and an offset instead of an address, because other objects may be loaded at the same
/// addresses. Must not be called in a signal handler (takes the loader's lock).
void detach_unloaded_modules();

}  // namespace apmt::rt
