// Measures the device card of this machine's processors.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "devices/card.h"

namespace apmt::devices {

struct CpuCalibration {
  std::string name;
  std::string by;                   // the measuring command: "apmt 1.2 calibrate --device cpu"
  std::uint64_t largest_bytes = 0;  // of an idiom's data; 0: half of the free memory
  double effort = 1;                // below 1, for tests: less work, memory levels not measured
  std::function<void(std::size_t done, std::size_t total)> on_progress;
};

Device measure_cpu(const CpuCalibration& options);

/// Half of the memory that is free now.
std::uint64_t half_of_memory();

}  // namespace apmt::devices
