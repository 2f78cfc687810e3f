// The median and the scatter of the repetitions of a measurement.
#pragma once

#include <vector>

#include "fitter/laws/law.h"
#include "fitter/runs/experiment.h"

namespace apmt {

/// The middle value, or the mean of the two middle ones; 0 for an empty list.
double median(std::vector<double> values);

/// `rel_sampling`: the relative sampling error of one value; 0 if it was not sampled.
Measured measured(const std::vector<double>& values, double rel_sampling = 0);

/// The standard deviation of the median of n normal values, relative to that of one value: 1 for
/// one value, 1/sqrt(2) for two, about sqrt(pi / 2 / n) for more.
double median_factor(int n);

FitPoint fit_point(double procs, double work, const Measured& m);

}  // namespace apmt
