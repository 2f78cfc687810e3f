// Which launch a process belongs to is decided offline. Here is written down what tells it: all
// that launchers say, and the process, its parent and its machine as the kernel names them.
#pragma once

#include <stddef.h>

#include "profiler/runtime/state.h"

namespace apmt::rt {

/// As texts of the recording; docs/formats.md lists them.
void note_identity(const Recording& recording);

/// Of two words of a process's arguments (/proc/PID/cmdline): the second, where the first is
/// `option`; nullptr where there is none.
const char* argument_after(const char* arguments, size_t bytes, const char* option);

}  // namespace apmt::rt
