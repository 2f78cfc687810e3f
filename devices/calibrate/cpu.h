// Measures the device card of this machine's processors.
#pragma once

#include "devices/calibrate/options.h"
#include "devices/card.h"

namespace apmt::devices {

Device measure_cpu(const CalibrationOptions& options);

}  // namespace apmt::devices
