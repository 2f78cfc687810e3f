// apmt calibrate --device: measures a device of this machine and writes its card (docs/devices.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace apmt {

struct DeviceCalibration {
  std::string device;  // "cpu", "opencl:1", "cuda"
  std::filesystem::path output;
  std::string name;  // empty: what the driver calls the device
  std::uint64_t largest_bytes = 0;
  bool json = false;
};

/// Measures the device, writes its card and prints it.
void calibrate_device(const DeviceCalibration& options);

/// Prints a card, as a report or as JSON.
void show_device(const std::filesystem::path& file, bool json);

}  // namespace apmt
