// Repeats a measurement until its spread is small.
#pragma once

#include <functional>
#include <vector>

#include "machine/machine_profile.h"

namespace apmt {

/// The median, and the interquartile range relative to it.
Figure summarise(std::vector<double> values);

struct Patience {
  double wanted_spread = 0.02;
  int at_least = 5;
  int at_most = 40;
  double seconds = 1.0;  // the time limit; `at_least` measurements are made in any case
};

Figure repeat(const std::function<double()>& measure, const Patience& patience = {});

/// The time of CLOCK_MONOTONIC.
double now_s();
/// CPU time of this thread; other threads on the same core do not count.
double thread_cpu_s();

}  // namespace apmt
