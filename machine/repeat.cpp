#include "machine/repeat.h"

#include <algorithm>
#include <cmath>
#include <ctime>

namespace apmt {
namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double quantile(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const std::size_t low = static_cast<std::size_t>(std::floor(at));
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (at - std::floor(at)) * (sorted[high] - sorted[low]);
}

}  // namespace

Figure summarise(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const double median = quantile(values, 0.5);
  const double width = quantile(values, 0.75) - quantile(values, 0.25);
  return {median, median > 0 ? width / median : 0};
}

Figure repeat(const std::function<double()>& measure, const Patience& patience) {
  const double begin = now_s();
  std::vector<double> values;
  Figure result;
  while (static_cast<int>(values.size()) < patience.at_most) {
    values.push_back(measure());
    if (static_cast<int>(values.size()) < patience.at_least) continue;
    result = summarise(values);
    if (result.spread <= patience.wanted_spread || now_s() - begin > patience.seconds) break;
  }
  return result;
}

double now_s() { return seconds_of(CLOCK_MONOTONIC); }
double thread_cpu_s() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace apmt
