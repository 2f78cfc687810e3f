// What the spreads of a card's measurements mean for a predicted time.
#pragma once

#include <optional>

#include "devices/card.h"

namespace apmt::devices {

/// The card with every measured figure at the quartile at which the device is faster (fast_end) or
/// slower (slow_end). Nothing if no figure has a spread.
std::optional<Device> fast_end(const Device& device);
std::optional<Device> slow_end(const Device& device);

}  // namespace apmt::devices
