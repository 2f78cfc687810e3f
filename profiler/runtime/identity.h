// Records the data from which code outside the profiled program decides later which launch a
// process belongs to: the variables of launchers, and the kernel's identifiers of the process, its
// parent and its machine.
#pragma once

#include <stddef.h>

#include "profiler/runtime/state.h"

namespace apmt::rt {

/// Records the identifiers as texts; docs/environment.md lists them.
void note_identity(const Recording& recording);

/// Returns the argument after `option`, nullptr if there is none. `arguments` are the arguments of
/// a process as in /proc/PID/cmdline: each ends with a NUL.
const char* argument_after(const char* arguments, size_t bytes, const char* option);

}  // namespace apmt::rt
