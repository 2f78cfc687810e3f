#include "fitter/laws/law_ahead.h"

#include <algorithm>
#include <cmath>

namespace apmt {
namespace {

constexpr double kClose = 1.25;       // largest ratio of counts that agree
constexpr double kSmallCount = 1e-3;  // of the largest count; smaller counts are treated as this

double work_per_process(const FitPoint& p) { return p.work / p.procs; }

double largest_value(const std::vector<FitPoint>& points) {
  double largest = 0;
  for (const FitPoint& p : points) largest = std::max(largest, p.value);
  return largest;
}

double least_work_per_process(const std::vector<FitPoint>& points) {
  double least = INFINITY;
  for (const FitPoint& p : points) least = std::min(least, work_per_process(p));
  return least;
}

/// The count per unit of work at a work per process.
struct Rate {
  double x = 0;
  double per_work = 0;
};

/// D * per_work * (x / from.x)^slope with x = D / P, where x is in [to_x, from.x).
LawTerm segment(const Rate& from, double slope, double to_x) {
  return {.coefficient = from.per_work * std::pow(from.x, -slope),
          .p_exponent = -slope,
          .work_exponent = 1 + slope,
          .from_x = to_x,
          .below_x = from.x};
}

void replace_below(const std::vector<Rate>& rates, Hypothesis* law) {
  const double border = rates.front().x;
  std::erase_if(law->terms, [border](const LawTerm& t) { return t.below_x <= border; });
  for (LawTerm& term : law->terms) term.from_x = std::max(term.from_x, border);
  for (std::size_t i = 0; i + 1 < rates.size(); ++i) {
    const Rate& from = rates[i];
    const Rate& to = rates[i + 1];
    law->terms.push_back(
        segment(from, std::log(to.per_work / from.per_work) / std::log(to.x / from.x), to.x));
  }
  law->terms.push_back(segment(rates.back(), 0, 0));
}

/// Counts below a thousandth of `largest` count as this thousandth, because they hardly matter.
bool are_close(double count, double other, double largest) {
  const double least = kSmallCount * largest;
  const double a = std::max(count, least);
  const double b = std::max(other, least);
  return std::max(a, b) <= kClose * std::min(a, b);
}

}  // namespace

CountLaw continued(CountLaw law, const std::vector<FitPoint>& points, std::vector<FitPoint> ahead) {
  const double border = least_work_per_process(points);
  const double largest = largest_value(points);
  std::erase_if(ahead,
                [&](const FitPoint& p) { return !(work_per_process(p) < border * (1 - 1e-9)); });
  if (ahead.empty() || largest <= 0 || law.hypotheses.empty()) return law;
  std::stable_sort(ahead.begin(), ahead.end(), [](const FitPoint& a, const FitPoint& b) {
    return work_per_process(a) > work_per_process(b);
  });
  const auto agrees = [&](const Hypothesis& h) {
    return std::all_of(ahead.begin(), ahead.end(), [&](const FitPoint& p) {
      return are_close(h.value(p.procs, p.work), p.value, largest);
    });
  };
  if (std::any_of(law.hypotheses.begin(), law.hypotheses.end(), agrees)) {
    std::erase_if(law.hypotheses, [&](const Hypothesis& h) { return !agrees(h); });
    double sum = 0;
    for (const Hypothesis& h : law.hypotheses) sum += h.weight;
    for (Hypothesis& h : law.hypotheses) h.weight /= sum;
    return law;
  }
  const double least = kSmallCount * largest;
  const FitPoint& last =
      *std::min_element(points.begin(), points.end(), [](const FitPoint& a, const FitPoint& b) {
        return work_per_process(a) < work_per_process(b);
      });
  for (Hypothesis& h : law.hypotheses) {
    std::vector<Rate> rates = {
        {border, std::max(h.value(last.procs, last.work), least) / last.work}};
    for (const FitPoint& p : ahead)
      if (work_per_process(p) < rates.back().x * (1 - 1e-9))
        rates.push_back({work_per_process(p), std::max(p.value, least) / p.work});
    replace_below(rates, &h);
  }
  return law;
}

bool changes_ahead(const CountLaw& law, const std::vector<FitPoint>& points) {
  const double border = least_work_per_process(points);
  return std::any_of(law.hypotheses.begin(), law.hypotheses.end(), [&](const Hypothesis& h) {
    return std::any_of(h.terms.begin(), h.terms.end(),
                       [&](const LawTerm& t) { return t.below_x <= border; });
  });
}

}  // namespace apmt
