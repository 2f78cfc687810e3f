// Text for numbers: singular or plural, formats and percentages.
#pragma once

#include <concepts>
#include <cstdio>
#include <string>

namespace apmt {

/// "1 rank", "2 ranks", "0 ranks".
template <std::integral Count>
std::string counted(Count count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}
template <std::integral Count>
std::string counted(Count count, const std::string& one) {
  return counted(count, one, one + "s");
}

/// "1 of 2 ranks was", "2 of 2 ranks were": the verb agrees with the first number.
template <std::integral Count>
std::string counted_of(Count count, Count all, const std::string& one, const std::string& is,
                       const std::string& are) {
  return std::to_string(count) + " of " + counted(all, one) + " " + (count == 1 ? is : are);
}

/// The number, printed with a format such as "%.3g GHz".
inline std::string formatted(const char* format, double x) {
  char text[64];
  std::snprintf(text, sizeof text, format, x);
  return text;
}

/// "12 %", or "12.3 %" with one decimal.
inline std::string percent(double fraction, int decimals = 0) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f %%", decimals, 100 * fraction);
  return text;
}

/// "0.333", "1.2e+06": the number with at most so many digits.
inline std::string brief_number(double x, int digits = 3) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*g", digits, x);
  return text;
}

/// "1 of 2 ranks", "all 2 ranks", "the only rank".
template <std::integral Count>
std::string how_many_of(Count count, Count all, const std::string& one) {
  if (count != all) return std::to_string(count) + " of " + counted(all, one);
  return all == 1 ? "the only " + one : "all " + counted(all, one);
}

}  // namespace apmt
