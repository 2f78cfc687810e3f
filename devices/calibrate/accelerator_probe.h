// Measures the card of an accelerator.
#pragma once

#include "devices/calibrate/accelerator.h"
#include "devices/calibrate/options.h"
#include "devices/card.h"

namespace apmt::devices {

Device measure_accelerator(Accelerator& accelerator, const CalibrationOptions& options);

/// Writes a random cycle through all lines of the memory and returns the number of lines. The start
/// of each line then holds the index of the element at which the next line of the cycle begins.
std::uint64_t write_cycle(Accelerator& accelerator, const DeviceMemory& memory,
                          std::uint64_t line_bytes, std::uint64_t element_bytes);

}  // namespace apmt::devices
