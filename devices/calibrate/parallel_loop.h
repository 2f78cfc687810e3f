// The time that OpenMP needs to start a parallel loop on several threads and to wait for its end.
#pragma once

#include <optional>

#include "machine/repeat.h"

namespace apmt::devices {

/// The mean time of one of `loops` empty parallel loops that are executed in a row. Opens the
/// library of OpenMP at run time; returns nothing if there is none. OpenMP's threads continue to
/// exist after the measurement.
std::optional<Figure> parallel_loop_s(unsigned threads, std::uint64_t loops,
                                      const Patience& patience);

}  // namespace apmt::devices
