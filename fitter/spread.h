// Median and scatter of the repetitions of one measurement.
#pragma once

#include <vector>

#include "fitter/experiment.h"
#include "fitter/law.h"

namespace apmt {

/// The middle value, or the mean of the two middle ones; 0 for an empty list.
double median(std::vector<double> values);

/// `rel_sampling`: relative error of one value from counting samples, 0 when it was not sampled.
Measured measured(const std::vector<double>& values, double rel_sampling = 0);

/// Standard deviation of a median of n normal values / that of one: 1, 1/sqrt(2), then
/// sqrt(pi / 2 / n).
double median_factor(int n);

FitPoint fit_point(double procs, double work, const Measured& m);

}  // namespace apmt
