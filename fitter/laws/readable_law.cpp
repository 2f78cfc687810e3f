#include "fitter/laws/readable_law.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "fitter/numeric/small_least_squares.h"

namespace apmt {
namespace {

using Times = std::vector<std::pair<double, double>>;

constexpr double kLargestDifference = 0.05;
constexpr double kLeastTermShare = 1e-4;  // a term with less of the sum is left out

struct SimpleTerm {
  double p_exponent;
  int log2_power;
};

// Forms that people know, the simplest first.
constexpr SimpleTerm kSimpleTerms[] = {
    {0, 0},        {-1, 0},      {1, 0},       {0, 1}, {-0.5, 0}, {0.5, 0}, {-2.0 / 3, 0},
    {-1.0 / 3, 0}, {1.0 / 3, 0}, {2.0 / 3, 0}, {0, 2}, {1, 1},    {-2, 0}};

LawTerm term(double coefficient, const SimpleTerm& shape) {
  return {
      .coefficient = coefficient, .p_exponent = shape.p_exponent, .log2_power = shape.log2_power};
}

double largest_difference(const std::vector<LawTerm>& terms, const Times& times) {
  double worst = 0;
  for (const auto& [procs, seconds] : times) {
    double sum = 0;
    for (const LawTerm& t : terms) sum += t.value(procs, 1);
    worst = std::max(worst, std::abs(sum / seconds - 1));
  }
  return worst;
}

/// The sum of these terms that has the smallest relative differences from the times. To make the
/// differences relative, each row of the equations is divided by its time.
ReadableLaw sum_of(const std::vector<SimpleTerm>& shapes, const Times& times) {
  std::vector<std::vector<double>> columns;
  for (const SimpleTerm& shape : shapes) {
    columns.emplace_back();
    for (const auto& [procs, seconds] : times)
      columns.back().push_back(term(1, shape).value(procs, 1) / seconds);
  }
  const std::vector<double> c = solve_non_negative(columns, std::vector<double>(times.size(), 1));
  ReadableLaw law;
  for (std::size_t i = 0; i < c.size(); ++i)
    if (c[i] > 0) law.terms.push_back(term(c[i], shapes[i]));
  std::vector<double> procs;
  for (const auto& time : times) procs.push_back(time.first);
  drop_negligible(&law.terms, procs);
  law.off = largest_difference(law.terms, times);
  return law;
}

/// c P^a, with two decimals in a.
ReadableLaw power(const Times& times) {
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
  ReadableLaw law{.terms = {term(std::exp(mean), {exponent, 0})}, .off = 0};
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

ReadableLaw readable_law(const std::vector<std::pair<double, double>>& all) {
  Times times;
  for (const auto& time : all)
    if (time.first > 0 && time.second > 0) times.push_back(time);
  if (times.empty()) return {};
  ReadableLaw best{.terms = {}, .off = INFINITY};
  const auto is_enough = [&](ReadableLaw law) {
    if (law.off < best.off) best = std::move(law);
    return best.off <= kLargestDifference;
  };
  for (const SimpleTerm& shape : kSimpleTerms)
    if (is_enough(sum_of({shape}, times))) return best;
  if (is_enough(power(times))) return best;
  ReadableLaw pair = best;
  for (std::size_t i = 0; i < std::size(kSimpleTerms); ++i)
    for (std::size_t k = i + 1; k < std::size(kSimpleTerms); ++k)
      if (ReadableLaw law = sum_of({kSimpleTerms[i], kSimpleTerms[k]}, times); law.off < pair.off)
        pair = std::move(law);
  return pair;
}

}  // namespace apmt
