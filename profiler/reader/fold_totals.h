// Samples held against what the counters say themselves. An overflow that the kernel did not
// deliver leaves no trace among the samples; the counter has gone on counting.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"

namespace apmt {

/// The least share of one of the thread's events that its samples account for; absent where no
/// counter says.
std::optional<double> sampled_share(const RawRecording& raw, std::size_t thread);

/// Fills `sampling.totals`, and notes in `health` where samples account for less than 90 %.
void fold_totals(const std::vector<RawRecording>& ranks, RunProfile* profile);

}  // namespace apmt
