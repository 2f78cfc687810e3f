// Included before the code of the learners, to simulate a mathematics library other than glibc's. A
// third of the results of log, log2 and exp are one unit in the last place higher, a third one unit
// lower.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

namespace std {

inline double inexact(double value) {
  if (!isfinite(value) || value == 0) return value;
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof bits);
  const uint64_t which = (bits * 0xbf58476d1ce4e5b9u >> 40) % 3;
  return which == 0 ? value : nextafter(value, which == 1 ? 1e300 : -1e300);
}
inline double inexact_log(double x) { return inexact(std::log(x)); }
inline double inexact_log2(double x) { return inexact(std::log2(x)); }
inline double inexact_exp(double x) { return inexact(std::exp(x)); }

}  // namespace std

#define log inexact_log
#define log2 inexact_log2
#define exp inexact_exp
