// The largest numbers that a run can have. A profile with a larger one was damaged, or made by a
// program with a fault, so readers refuse it. The limits are far above every machine, and leave
// room for clocks that are wrong by a little.
#pragma once

namespace apmt {

/// Elapsed time of a process, thread or call: 30 years.
inline constexpr double kMostElapsed_s = 1e9;
/// Times added up over a thousand million processes or threads.
inline constexpr double kMostSummed_s = 1e18;
/// Counts of events, of all processes: 10^12 in each of these seconds.
inline constexpr double kMostCount = 1e30;
inline constexpr double kMostFrequency_hz = 1e12;
/// A share of a whole; the sum of rounded parts may exceed the whole a little.
inline constexpr double kMostShare = 1.001;

}  // namespace apmt
