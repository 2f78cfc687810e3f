// Describes the recorded program: its name, command, problem sizes, environment and threads.
#pragma once

#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"

namespace apmt {

void fold_program(const std::vector<RawRecording>& ranks, RunProfile* profile);

}  // namespace apmt
