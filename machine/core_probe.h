// What a core costs: its frequency under load, a look at the clock, a signal.
#pragma once

#include <optional>

#include "machine/machine_profile.h"

namespace apmt {

/// From a chain of additions of which each takes one cycle; absent where no such chain is known.
std::optional<Figure> measure_frequency_hz();
Figure measure_clock_ns();
Figure measure_signal_ns();

}  // namespace apmt
