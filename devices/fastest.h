// The probability that each of several devices is the fastest.
#pragma once

#include <vector>

namespace apmt::devices {

/// How far real times are assumed to lie from those that `apmt match` predicts by its own method:
/// the standard deviation of ln(real / predicted) between devices, without the error that all
/// devices of a kernel have in common. Several values were tried on published times of 69 kernels
/// and sizes. With this one, the probability of the device that was really the fastest has the
/// largest mean logarithm, with applications weighted alike (bench/devices/README.md).
inline constexpr double kMethodScatter = 0.4;

/// A log-normal distribution of a time.
struct UncertainTime {
  double median_s = 0;
  double scatter = 0;  // standard deviation of ln(time); must be above 0
};

/// The scatter of a time that is between these values with a probability of one half.
double scatter_of_quartiles(double low_s, double high_s);

/// For each time, the probability that it is the shortest, if all are independent. They add up to
/// 1. There must be at least one time.
std::vector<double> shortest_probabilities(const std::vector<UncertainTime>& times);

}  // namespace apmt::devices
