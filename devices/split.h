// Divides a kernel's work among several devices in proportion to their speed (AutoMatch, section
// IV-C: if one of two devices takes three times as long as the other, the slower one gets a quarter
// of the work).
#pragma once

#include <vector>

namespace apmt::devices {

struct Split {
  std::vector<double> shares;  // of the work; they add up to 1
  double seconds = 0;          // until all devices finish, at the same time
  double gain_over_even = 1;   // time with equal shares, divided by `seconds`
  double gain_over_best = 1;   // time of the fastest device alone, divided by `seconds`
};

/// `seconds`: the time that each device needs for all of the work; each must be above 0.
Split split(const std::vector<double>& seconds);

}  // namespace apmt::devices
