#include "base/problem_sizes.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace apmt {

SizesInText sizes_in_text(const std::string& text) {
  SizesInText found;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string item = text.substr(at, end - at);
    const std::size_t equals = std::min(item.find('='), item.size());
    const char* const number = item.c_str() + std::min(equals + 1, item.size());
    char* parsed = nullptr;
    const double value = std::strtod(number, &parsed);
    if (equals > 0 && parsed != number && *parsed == '\0' && std::isfinite(value))
      found.sizes[item.substr(0, equals)] = value;
    else
      found.refused.push_back(item);
    at = end + 1;
  }
  return found;
}

std::string text_of_sizes(const std::map<std::string, double>& sizes) {
  std::string text;
  char number[64];
  for (const auto& [name, value] : sizes) {
    std::snprintf(number, sizeof number, "%.17g", value);
    text += (text.empty() ? "" : ",") + name + "=" + number;
  }
  return text;
}

}  // namespace apmt
