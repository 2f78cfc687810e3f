// The time that OpenMP needs to start a parallel loop on several threads and to wait for its end.
#pragma once

#include <optional>

#include "machine/repeat.h"

namespace apmt::devices {

/// The time of an empty parallel loop that follows others. Opens the library of OpenMP at run time;
/// returns nothing if there is none. Executes `loops` loops in a row. OpenMP's threads continue to
/// exist.
std::optional<Figure> parallel_loop_s(unsigned threads, std::uint64_t loops,
                                      const Patience& patience);

}  // namespace apmt::devices
