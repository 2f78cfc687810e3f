#include "fitter/laws/law_ahead.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <ranges>

namespace apmt {
namespace {

constexpr double kClose = 1.25;       // largest ratio of counts that agree
constexpr double kSmallCount = 1e-3;  // of the largest count per work; smaller ones count as this

double per_work(const FitPoint& p) { return p.value / p.work; }

double largest_per_work(const std::vector<FitPoint>& points) {
  return std::ranges::max(points | std::views::transform(per_work));
}

/// Whether two counts per work agree. Below a thousandth of `largest`, they hardly matter.
bool are_close(double count, double other, double largest) {
  const double least = kSmallCount * largest;
  const double a = std::max(count, least);
  const double b = std::max(other, least);
  return std::max(a, b) <= kClose * std::min(a, b);
}

/// A law through all points: the count per unit of work is a function of the work per process. It
/// is a power of it between two points, and constant outside of them.
Hypothesis table(std::vector<FitPoint> points) {
  std::ranges::stable_sort(points, std::greater{}, &FitPoint::work_per_process);
  const double least = kSmallCount * largest_per_work(points);
  Hypothesis law;
  law.free_numbers = static_cast<int>(points.size());
  double x = INFINITY, rate = 0;
  // D * rate * (x / at)^slope for work per process x in [from, x).
  const auto add = [&](double rate_at, double at, double slope, double from) {
    law.terms.push_back({.coefficient = rate_at * std::pow(at, -slope),
                         .p_exponent = -slope,
                         .work_exponent = 1 + slope,
                         .from_x = from,
                         .below_x = x});
  };
  for (const FitPoint& p : points) {
    const double next_x = p.work_per_process();
    const double next = std::max(per_work(p), least);
    if (!(next_x < x * (1 - 1e-9))) continue;  // the same work per process once more
    if (std::isinf(x))
      add(next, 1, 0, next_x);
    else
      add(rate, x, std::log(next / rate) / std::log(next_x / x), next_x);
    x = next_x;
    rate = next;
  }
  add(rate, 1, 0, 0);
  return law;
}

}  // namespace

double least_work_per_process(const std::vector<FitPoint>& points) {
  double least = INFINITY;
  for (const FitPoint& p : points) least = std::min(least, p.work_per_process());
  return least;
}

CountLaw continued(CountLaw law, const std::vector<FitPoint>& points,
                   const std::vector<FitPoint>& ahead) {
  const double largest = largest_per_work(points);
  if (ahead.empty() || largest <= 0 || law.hypotheses.empty()) return law;
  const auto disagrees = [&](const Hypothesis& h) {
    return std::ranges::any_of(ahead, [&](const FitPoint& p) {
      return !are_close(h.value(p.procs, p.work) / p.work, per_work(p), largest);
    });
  };
  std::erase_if(law.hypotheses, disagrees);
  if (law.hypotheses.empty()) {
    std::vector<FitPoint> all = points;
    all.insert(all.end(), ahead.begin(), ahead.end());
    law.hypotheses = {table(std::move(all))};
  }
  double sum = 0;
  for (const Hypothesis& h : law.hypotheses) sum += h.weight;
  for (Hypothesis& h : law.hypotheses) h.weight /= sum;
  return law;
}

bool changes_ahead(const CountLaw& law, const std::vector<FitPoint>& points) {
  const double border = least_work_per_process(points);
  return std::ranges::any_of(law.hypotheses, [&](const Hypothesis& h) {
    return std::ranges::any_of(h.terms, [&](const LawTerm& t) { return t.below_x <= border; });
  });
}

}  // namespace apmt
