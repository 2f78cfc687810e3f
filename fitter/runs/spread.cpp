#include "fitter/runs/spread.h"

#include <algorithm>
#include <cmath>

#include "base/mean.h"

namespace apmt {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : values[n / 2 - 1] + 0.5 * (values[n / 2] - values[n / 2 - 1]);
}

Measured measured(const std::vector<double>& values, double rel_sampling) {
  Measured m{.value = median(values),
             .rel_sampling = rel_sampling,
             .repetitions = static_cast<int>(values.size())};
  if (m.value != 0) m.rel_sigma = standard_deviation(values) / std::abs(m.value);
  return m;
}

double median_factor(int n) {
  if (n <= 1) return 1;
  return n == 2 ? M_SQRT1_2 : std::sqrt(M_PI / 2 / n);
}

FitPoint fit_point(double procs, double work, const Measured& m) {
  return {procs, work, m.value, m.rel_sigma, m.rel_sampling, m.repetitions};
}

}  // namespace apmt
