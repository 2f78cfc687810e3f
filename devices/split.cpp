#include "devices/split.h"

#include <algorithm>

namespace apmt::devices {

Split split(const std::vector<double>& seconds) {
  Split out;
  double speed = 0;
  for (const double each : seconds) speed += 1 / each;
  out.seconds = 1 / speed;
  for (const double each : seconds) out.shares.push_back(out.seconds / each);
  const auto [fastest, slowest] = std::minmax_element(seconds.begin(), seconds.end());
  out.gain_over_even = *slowest / static_cast<double>(seconds.size()) / out.seconds;
  out.gain_over_best = *fastest / out.seconds;
  return out;
}

}  // namespace apmt::devices
