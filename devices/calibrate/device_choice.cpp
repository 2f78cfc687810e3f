#include "devices/calibrate/device_choice.h"

#include <algorithm>

#include "base/input_error.h"

namespace apmt::devices {

DeviceChoice device_choice(const std::string& text) {
  constexpr std::size_t kMostDigits = 4;
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const std::string number = colon == std::string::npos ? "0" : text.substr(colon + 1);
  const bool is_number =
      !number.empty() && number.size() <= kMostDigits &&
      std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (is_number) {
    const std::size_t index = std::stoul(number);
    if (name == "opencl") return {DeviceInterface::kOpenCl, index};
    if (name == "cuda") return {DeviceInterface::kCuda, index};
    if (text == "cpu") return {DeviceInterface::kCpu, 0};
  }
  throw InputError("--device " + text, "is not a device that can be measured",
                   "cpu, opencl, opencl:1, cuda, cuda:1; the card of another device can be written "
                   "by hand (docs/devices.md)");
}

}  // namespace apmt::devices
