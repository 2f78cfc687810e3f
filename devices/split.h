// A kernel's work shared by several devices, in proportion to their speed (AutoMatch, section
// IV-C: where one takes three times as long as the other, it gets one part of four).
#pragma once

#include <vector>

namespace apmt::devices {

struct Split {
  std::vector<double> shares;  // of the work; they add up to 1
  double seconds = 0;          // if all end at the same time
  double gain_over_even = 1;   // time with equal shares over `seconds`
  double gain_over_best = 1;   // time of the fastest device alone over `seconds`
};

/// `seconds` that each device needs for all of the work, all above 0.
Split split(const std::vector<double>& seconds);

}  // namespace apmt::devices
