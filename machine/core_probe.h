// Measures a core's frequency under load, and the costs of reading the clock and of a signal.
#pragma once

#include <optional>

#include "machine/machine_profile.h"

namespace apmt {

/// The frequency, from the time of a chain of additions that take one cycle each; absent on
/// architectures for which no such chain is implemented.
std::optional<Figure> measure_frequency_hz();
Figure measure_clock_ns();
Figure measure_signal_ns();

}  // namespace apmt
