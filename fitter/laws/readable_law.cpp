#include "fitter/laws/readable_law.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "fitter/numeric/small_least_squares.h"

namespace apmt {
namespace {

constexpr double kLargestDifference = 0.05;
constexpr double kLeastTermShare = 1e-4;  // a term with less of the sum is left out

// Forms that people know, the simplest first: coefficient, exponent of P, power of log2(P).
constexpr LawTerm kSimpleTerms[] = {
    {1, 0, 0},   {1, -1, 0},       {1, 1, 0},        {1, 0, 1},       {1, -0.5, 0},
    {1, 0.5, 0}, {1, -2.0 / 3, 0}, {1, -1.0 / 3, 0}, {1, 1.0 / 3, 0}, {1, 2.0 / 3, 0},
    {1, 0, 2},   {1, 1, 1},        {1, -2, 0}};

double largest_difference(const std::vector<LawTerm>& terms, const TimesByProcs& times) {
  double worst = 0;
  for (const auto& [procs, seconds] : times) {
    double sum = 0;
    for (const LawTerm& t : terms) sum += t.value(procs, 1);
    worst = std::max(worst, std::abs(sum / seconds - 1));
  }
  return worst;
}

/// c P^a, with two decimals in a.
ReadableLaw power(const TimesByProcs& times) {
  std::vector<double> ones(times.size(), 1);
  std::vector<double> x;
  std::vector<double> y;
  for (const auto& [procs, seconds] : times) {
    x.push_back(std::log(procs));
    y.push_back(std::log(seconds));
  }
  const auto c = solve_least_squares({ones, x}, y);
  if (!c) return {.terms = {}, .off = INFINITY};
  const double exponent = std::round(100 * c->at(1)) / 100;
  double mean = 0;  // mean of the logarithms, with the exponent as printed
  for (std::size_t i = 0; i < x.size(); ++i) mean += (y[i] - exponent * x[i]) / double(x.size());
  ReadableLaw law{.terms = {{.coefficient = std::exp(mean), .p_exponent = exponent}}, .off = 0};
  law.off = largest_difference(law.terms, times);
  return law;
}

}  // namespace

void drop_negligible(std::vector<LawTerm>* terms, const std::vector<double>& procs) {
  std::vector<double> sums(procs.size(), 0);
  for (const LawTerm& t : *terms)
    for (std::size_t i = 0; i < procs.size(); ++i) sums[i] += t.value(procs[i], 1);
  std::erase_if(*terms, [&](const LawTerm& t) {
    for (std::size_t i = 0; i < procs.size(); ++i)
      if (std::abs(t.value(procs[i], 1)) >= kLeastTermShare * std::abs(sums[i])) return false;
    return true;
  });
}

ReadableLaw nearest_sum(std::vector<LawTerm> terms, const TimesByProcs& times) {
  std::vector<double> procs;
  for (const auto& time : times) procs.push_back(time.first);
  std::vector<std::vector<double>> columns;
  for (const LawTerm& t : terms) {
    columns.emplace_back();
    for (const auto& [p, seconds] : times) columns.back().push_back(t.value(p, 1) / seconds);
  }
  const std::vector<double> c = solve_non_negative(columns, std::vector<double>(times.size(), 1));
  for (std::size_t i = 0; i < c.size(); ++i) terms[i].coefficient = c[i];
  std::erase_if(terms, [](const LawTerm& t) { return t.coefficient == 0; });
  drop_negligible(&terms, procs);
  return {terms, largest_difference(terms, times)};
}

ReadableLaw readable_law(const TimesByProcs& all) {
  TimesByProcs times;
  for (const auto& time : all)
    if (time.first > 0 && time.second > 0) times.push_back(time);
  if (times.empty()) return {};
  ReadableLaw best{.terms = {}, .off = INFINITY};
  const auto is_enough = [&](ReadableLaw law) {
    if (law.off < best.off) best = std::move(law);
    return best.off <= kLargestDifference;
  };
  for (const LawTerm& term : kSimpleTerms)
    if (is_enough(nearest_sum({term}, times))) return best;
  if (is_enough(power(times))) return best;
  ReadableLaw pair = best;
  for (std::size_t i = 0; i < std::size(kSimpleTerms); ++i)
    for (std::size_t k = i + 1; k < std::size(kSimpleTerms); ++k)
      if (ReadableLaw law = nearest_sum({kSimpleTerms[i], kSimpleTerms[k]}, times);
          law.off < pair.off)
        pair = std::move(law);
  return pair;
}

}  // namespace apmt
