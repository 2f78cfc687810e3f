// Records what does not change while the program runs: program, machine and settings.
#pragma once

#include "profiler/runtime/state.h"

namespace apmt::rt {

void note_surroundings(const Recording& recording);

}  // namespace apmt::rt
