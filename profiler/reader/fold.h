// From the recordings of a run's ranks to one RunProfile.
#pragma once

#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"

namespace apmt {

/// Merges the ranks of one run, in any order. Throws InputError when they do not belong together
/// (two recordings of one rank, different sizes of the world). Missing ranks are counted in the
/// health.
RunProfile fold(std::vector<RawRecording> ranks);

}  // namespace apmt
