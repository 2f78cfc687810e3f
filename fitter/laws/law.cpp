#include "fitter/laws/law.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>

#include "base/process_grid.h"
#include "base/words.h"
#include "fitter/laws/time_law.h"

namespace apmt {
namespace {

double power(double base, double exponent) {
  if (exponent == 0) return 1;
  if (exponent == 1) return base;
  if (exponent == -1) return 1 / base;
  // Powers are kept in a cache, because a fit needs the same few powers again and again.
  struct Known {
    double base = 0;
    double exponent = 0;
    double value = 1;
  };
  constexpr int kBits = 10;
  thread_local std::array<Known, std::size_t{1} << kBits> known;
  const std::uint64_t mixed = std::bit_cast<std::uint64_t>(base) * 0x9e3779b97f4a7c15U +
                              std::bit_cast<std::uint64_t>(exponent) * 0xc2b2ae3d27d4eb4fU;
  Known& k = known[mixed >> (64 - kBits)];
  if (k.base != base || k.exponent != exponent) k = {base, exponent, std::pow(base, exponent)};
  return k.value;
}

std::string short_number(double x) {
  std::string number = formatted("%.6g", x);  // 2.55e+07 becomes 2.55e7
  const std::size_t e = number.find('e');
  if (e == std::string::npos) return number;
  std::size_t digits = e + 1;
  if (number[digits] == '+') number.erase(digits, 1);
  if (number[digits] == '-') ++digits;
  if (number[digits] == '0') number.erase(digits, 1);
  return number;
}

std::string factor(const char* symbol, double exponent) {
  if (exponent == 0) return {};
  if (exponent == 1) return std::string(" * ") + symbol;
  // Three digits, unless the exponent is a fraction of the catalog, such as 2/3.
  const bool is_fraction = std::abs(12 * exponent - std::round(12 * exponent)) < 1e-9;
  return std::string(" * ") + symbol + "^" +
         (is_fraction ? short_number(exponent) : formatted("%.3g", exponent));
}

constexpr std::array<const char*, 7> kShapeTexts = {"",
                                                    " * (px + py)",
                                                    " * (px + py + pz)",
                                                    " * (px*py + py*pz + px*pz)",
                                                    " * (3px - 2)(3py - 2)",
                                                    " * (3px - 2)(3py - 2)(3pz - 2)",
                                                    " * P ([px > 1] + [py > 1] + [pz > 1])"};

}  // namespace

const FitPoint& largest_point(const std::vector<FitPoint>& points) {
  return *std::ranges::max_element(points, {}, &FitPoint::procs);
}

std::size_t distinct_places(const std::vector<FitPoint>& points) {
  std::set<std::pair<double, double>> places;
  for (const FitPoint& p : points) places.insert({p.procs, p.work});
  return places.size();
}

bool differ(const std::vector<FitPoint>& points, double FitPoint::*in) {
  return std::ranges::any_of(points,
                             [&](const FitPoint& p) { return p.*in != points.front().*in; });
}

double grid_shape(GridShape shape, double procs) {
  const bool whole = procs == std::floor(procs) && procs >= 1 && procs <= 1e9;
  const int dimensions = shape == GridShape::kSides2 || shape == GridShape::kAround2 ? 2 : 3;
  double x = std::pow(procs, 1.0 / dimensions);
  double y = x;
  double z = dimensions == 3 ? x : 1;
  if (whole) {
    const std::array<int, 3> g = process_grid(static_cast<int>(procs), dimensions);
    x = g[0];
    y = g[1];
    z = g[2];
  }
  switch (shape) {
    case GridShape::kSides2:
      return x + y;
    case GridShape::kSides3:
      return x + y + z;
    case GridShape::kFaces3:
      return x * y + y * z + x * z;
    case GridShape::kAround2:
    case GridShape::kAround3:  // in two dimensions z is 1
      return (3 * x - 2) * (3 * y - 2) * (3 * z - 2);
    case GridShape::kAcross3:
      return procs * ((x > 1 ? 1 : 0) + (y > 1 ? 1 : 0) + (z > 1 ? 1 : 0));
    case GridShape::kNone:
      break;
  }
  return 1;
}

double LawTerm::value(double procs, double work) const {
  if (const double x = work / procs; x < from_x || x >= below_x) return 0;
  if (exp_rate != 0) return coefficient * std::exp(exp_rate * procs);
  double v = coefficient * power(procs, p_exponent);
  if (log2_power != 0) v *= power(std::log2(procs), log2_power);
  if (work_exponent != 0) v *= power(work, work_exponent);
  if (shape != GridShape::kNone) v *= grid_shape(shape, procs);
  return v;
}

double Hypothesis::value(double procs, double work) const {
  double sum = 0;
  for (const LawTerm& term : terms) sum += term.value(procs, work);
  return std::max(sum, 0.0);
}

std::string Hypothesis::formula() const {
  std::vector<LawTerm> sums;  // terms that differ only in their coefficients are one
  for (const LawTerm& t : terms) {
    const auto like = std::ranges::find_if(sums, [&](LawTerm sum) {
      sum.coefficient = t.coefficient;
      return sum == t;
    });
    if (like == sums.end())
      sums.push_back(t);
    else
      like->coefficient += t.coefficient;
  }
  std::erase_if(sums, [&](const LawTerm& t) { return t.coefficient == 0 && sums.size() > 1; });
  if (sums.empty()) return "0";
  std::string text;
  for (const LawTerm& t : sums) {
    const bool negative = t.coefficient < 0;
    text += text.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    text += short_number(std::abs(t.coefficient));
    if (t.exp_rate != 0)
      text += " * exp(" + short_number(t.exp_rate) + " * P)";
    else
      text += factor("D", t.work_exponent) + factor("P", t.p_exponent) +
              factor("log2(P)", t.log2_power) + kShapeTexts[static_cast<std::size_t>(t.shape)];
    if (t.from_x > 0) text += " [D/P >= " + short_number(t.from_x) + "]";
    if (std::isfinite(t.below_x)) text += " [D/P < " + short_number(t.below_x) + "]";
  }
  return text;
}

double CountLaw::value(double procs, double work) const {
  return hypotheses.empty() ? 0 : hypotheses.front().value(procs, work);
}
double CountLaw::low(double procs, double work) const {
  double low = value(procs, work);
  for (const Hypothesis& h : hypotheses) low = std::min(low, h.value(procs, work));
  return low;
}
double CountLaw::high(double procs, double work) const {
  double high = value(procs, work);
  for (const Hypothesis& h : hypotheses) high = std::max(high, h.value(procs, work));
  return high;
}
bool CountLaw::is_exact() const { return !hypotheses.empty() && hypotheses.front().exact; }

double Feature::per_rank(double procs, double work) const {
  double sum = 0;
  for (const Hypothesis& h : counts) sum += h.value(procs, work);
  return sum * factor_of(steps, procs) / procs;
}

double Feature::factor_of(Steps steps, double procs) {
  switch (steps) {
    case Steps::kTree:
      return std::log2(procs);
    case Steps::kRing:
      return procs - 1;
    case Steps::kOthers:
      return procs > 1 ? 1 : 0;
    case Steps::kOne:
      break;
  }
  return 1;
}

}  // namespace apmt
