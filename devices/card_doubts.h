// Reasons to doubt the figures of a measured card: they varied, or they contradict each other.
#pragma once

#include <string>
#include <vector>

#include "devices/card.h"

namespace apmt::devices {

/// What cannot be true on any device, or only if other programs ran during the measurement: a
/// sentence each, without a full stop.
std::vector<std::string> contradictions_of(const Device& device);

/// The same, after a sentence about the figures whose spread stayed above the wanted one, if any.
std::vector<std::string> doubts_of(const Device& device);

}  // namespace apmt::devices
