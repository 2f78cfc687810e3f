// Varies the figures of a card within the spreads of their measurements, to find the range of a
// predicted time.
#pragma once

#include <optional>

#include "devices/card.h"

namespace apmt::devices {

/// The card in which every measured figure has the value of the quartile at which the device is
/// faster (fast_end) or slower (slow_end). Nothing if no figure has a spread.
std::optional<Device> fast_end(const Device& device);
std::optional<Device> slow_end(const Device& device);

}  // namespace apmt::devices
