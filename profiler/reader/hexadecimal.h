// Converts bytes, such as a build id, to hexadecimal text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace apmt {

inline std::string hexadecimal(const std::uint8_t* bytes, std::size_t count) {
  static const char digits[] = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    out += digits[bytes[i] >> 4];
    out += digits[bytes[i] & 15];
  }
  return out;
}

}  // namespace apmt
