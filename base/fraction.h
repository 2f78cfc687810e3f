// Numbers that are written as fractions.
#pragma once

#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>

namespace apmt {

/// A finite number or a ratio of two: "2", "-0.5" or "-3/4".
inline std::optional<double> fraction(const std::string& text) {
  char* end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str()) return std::nullopt;
  if (*end == '/') {
    const char* denominator = end + 1;
    const double d = std::strtod(denominator, &end);
    if (end == denominator || d == 0 || !std::isfinite(d)) return std::nullopt;
    value /= d;
  }
  return *end == '\0' && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace apmt
