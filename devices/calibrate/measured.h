// Measured figures of a card.
#pragma once

#include <string>

#include "devices/card.h"
#include "machine/repeat.h"

namespace apmt::devices {

/// The name, on a card, of the source of all figures that this program measures.
inline constexpr const char* kMeasuredSource = "apmt";
/// How often a figure is measured.
inline const Patience kPatience{kWantedSpread, 5, 15, 0.6};

/// `line` says what was measured.
inline CardFigure measured(const Figure& figure, const std::string& line, double factor = 1) {
  return {figure.value * factor, figure.spread, {kMeasuredSource, line}};
}

}  // namespace apmt::devices
