// Properties of a process that do not change while the program runs: program, machine, settings.
#pragma once

#include "profiler/runtime/state.h"

namespace apmt::rt {

void note_surroundings(const Recording& recording);

}  // namespace apmt::rt
