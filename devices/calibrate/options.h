// Options that the measurements of all devices have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace apmt::devices {

struct CalibrationOptions {
  std::string name = {};
  std::string by = {};              // the measuring command: "apmt 1.2 calibrate --device cpu"
  std::uint64_t largest_bytes = 0;  // of an idiom's data; 0: half of the free memory
  double effort = 1;                // below 1, for tests: less work, smaller memories
  std::function<void(std::size_t done, std::size_t total)> on_progress = {};
};

}  // namespace apmt::devices
