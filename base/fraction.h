// Numbers that are written as fractions.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace apmt {

/// "2", "-0.5" or "-3/4"; nothing else.
inline std::optional<double> fraction(const std::string& text) {
  char* end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str()) return std::nullopt;
  if (*end == '/') {
    const char* denominator = end + 1;
    const double d = std::strtod(denominator, &end);
    if (end == denominator || d == 0) return std::nullopt;
    value /= d;
  }
  return *end == '\0' ? std::optional(value) : std::nullopt;
}

}  // namespace apmt
