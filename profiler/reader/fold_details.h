// Computes details of a run from its recordings: threads, cost of recording, libraries.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"

namespace apmt {

/// The last moment at which the process is known to have been running.
std::int64_t last_ns(const format::Header& header);

/// Fills `threads`, `own_cost` and `libraries`; the ranks are sorted.
void fold_details(const std::vector<RawRecording>& ranks, RunProfile* profile);

}  // namespace apmt
