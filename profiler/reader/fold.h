// Merges the recordings of a run's ranks into one RunProfile.
#pragma once

#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"

namespace apmt {

/// Merges the ranks of one run, in any order. Throws InputError if they do not belong together
/// (two recordings of one rank, different sizes of the world). Missing ranks are counted in
/// `health`.
RunProfile fold(std::vector<RawRecording> ranks);

}  // namespace apmt
