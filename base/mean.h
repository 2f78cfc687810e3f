// The arithmetic mean.
#pragma once

#include <numeric>
#include <vector>

namespace apmt {

/// 0 if there are no values.
inline double mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace apmt
