#include "base/problem_sizes.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace apmt {

std::optional<std::pair<std::string, double>> size_in_text(const std::string& item,
                                                           SizeNames names) {
  const std::size_t equals = item.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == item.size()) return std::nullopt;
  const std::string name = item.substr(0, equals);
  const std::string letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  const std::string others = names == SizeNames::kImportedToo ? "0123456789" : "";
  const bool is_name = name.find_first_not_of(letters + others) == std::string::npos &&
                       letters.find(name.front()) != std::string::npos;
  char* parsed = nullptr;
  const double value = std::strtod(item.c_str() + equals + 1, &parsed);
  if (!is_name || *parsed != '\0' || !std::isfinite(value) || value < 0) return std::nullopt;
  return std::pair(name, value);
}

SizesInText sizes_in_text(const std::string& text) {
  SizesInText found;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string item = text.substr(at, end - at);
    const auto size = size_in_text(item);
    if (!size || found.sizes.insert(*size).first->second != size->second)
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
