#include "base/cpu_list.h"

#include <algorithm>
#include <cstdlib>

namespace apmt {

std::vector<int> parse_cpu_list(const std::string& text) {
  constexpr long kLargest = 1 << 16;
  std::vector<int> numbers;
  for (const char* at = text.c_str(); *at != '\0';) {
    char* end = nullptr;
    const long first = std::strtol(at, &end, 10);
    if (end == at) break;
    long last = first;
    if (*end == '-') {
      at = end + 1;
      last = std::strtol(at, &end, 10);
      if (end == at) break;
    }
    for (long n = std::max(first, 0L); n <= std::min(last, kLargest); ++n)
      numbers.push_back(static_cast<int>(n));
    if (*end != ',') break;
    at = end + 1;
  }
  return numbers;
}

}  // namespace apmt
