// The device that the user names: "cpu", "opencl", "opencl:1", "cuda:0".
#pragma once

#include <cstddef>
#include <string>

namespace apmt::devices {

enum class DeviceInterface { kCpu, kOpenCl, kCuda };

struct DeviceChoice {
  DeviceInterface interface = DeviceInterface::kCpu;
  std::size_t index = 0;
};

/// Throws InputError if the text names no device.
DeviceChoice device_choice(const std::string& text);

}  // namespace apmt::devices
