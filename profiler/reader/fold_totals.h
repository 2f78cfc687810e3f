// Compares samples with the values of the counters. An overflow for which Linux sent no signal
// gives no sample, but the counter's value includes it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"

namespace apmt {

/// The share of an event's count that the thread's samples account for. With several events, the
/// smallest of these shares. Absent if there are no counter values.
std::optional<double> sampled_share(const RawRecording& raw, std::size_t thread);

/// Fills `sampling.totals`. Adds a note to `health` for each event whose samples account for less
/// than 90 % of its count, if the count is at least ten sampling intervals.
void fold_totals(const std::vector<RawRecording>& ranks, RunProfile* profile);

}  // namespace apmt
