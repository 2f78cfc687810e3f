// A kernel's work shared by several devices, in proportion to their speed (AutoMatch, section
// IV-C: where one takes three times as long as the other, it gets one part of four).
#pragma once

#include <vector>

namespace apmt::devices {

struct Split {
  std::vector<double> shares;  // of the work; they add up to 1
  double seconds = 0;          // when all end at once
  double gain_over_even = 1;   // time of even parts over that
  double gain_over_best = 1;   // time of the fastest device alone over that
};

/// `seconds` that each device needs for all of the work, all above 0.
Split split(const std::vector<double>& seconds);

}  // namespace apmt::devices
