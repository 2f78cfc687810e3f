#include "fitter/fit/baseline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>

#include "base/mean.h"
#include "fitter/numeric/small_least_squares.h"

namespace apmt {
namespace {

constexpr std::array<double, 8> kExponents = {0.25, 1.0 / 3, 0.5, 2.0 / 3, 0.75, 1, 1.5, 2};
constexpr const char* kAnalytical = "analytical";
constexpr const char* kEmpirical = "empirical";
constexpr const char* kPower = "power law";

using Column = std::vector<double>;

/// One column of a least-squares problem: f(point) / value for each point. Dividing by the value
/// makes residuals relative.
template <typename F>
Column relative(const std::vector<FitPoint>& points, F f) {
  Column column;
  for (const FitPoint& p : points) column.push_back(std::invoke(f, p) / p.value);
  return column;
}

double rss(const std::vector<Column>& columns, const std::vector<double>& c) {
  double sum = 0;
  for (std::size_t i = 0; i < columns.front().size(); ++i) {
    double r = 1;
    for (std::size_t j = 0; j < c.size(); ++j) r -= c[j] * columns[j][i];
    sum += r * r;
  }
  return sum;
}

double one(const FitPoint&) { return 1; }

/// Nan et al.: T = a * D/P + b.
Baseline analytical(const std::vector<FitPoint>& points) {
  return {kAnalytical, "a*D/P + b",
          solve_non_negative({relative(points, &FitPoint::work_per_process), relative(points, one)},
                             Column(points.size(), 1))};
}

/// Worley et al.: T = a/P + b * P^c + d (a * D/P in place of a/P when sizes vary). The points are
/// too few to fit c, so it is taken from a grid. Coefficients are not negative.
Baseline empirical(const std::vector<FitPoint>& points) {
  Baseline best{kEmpirical, "a*D/P + b*P^c + d", {}};
  double best_rss = INFINITY;
  for (const double c : kExponents) {
    const std::vector<Column> columns = {
        relative(points, &FitPoint::work_per_process),
        relative(points, [c](const FitPoint& p) { return std::pow(p.procs, c); }),
        relative(points, one)};
    const std::vector<double> k = solve_non_negative(columns, Column(points.size(), 1));
    const double r = rss(columns, k);
    if (r < best_rss * (1 - 1e-9) - 1e-15) {
      best_rss = r;
      best.coefficients = {k[0], k[1], c, k[2]};
    }
  }
  return best;
}

/// ln T = ln a + b ln P; if sizes vary, D/P takes the place of P.
Baseline power_law(const std::vector<FitPoint>& points) {
  const bool work_varies = differ(points, &FitPoint::work);
  Column l;
  Column y;
  for (const FitPoint& p : points) {
    l.push_back(std::log(work_varies ? p.work_per_process() : p.procs));
    y.push_back(std::log(p.value));
  }
  // With weak scaling, D/P is the same at all points, except for the rounding of the sizes. Then no
  // exponent can be fitted, only a mean.
  constexpr double kSame = 0.05;
  const auto [least, most] = std::minmax_element(l.begin(), l.end());
  std::optional<std::vector<double>> c;
  if (*most - *least > kSame) c = solve_least_squares({Column(points.size(), 1), l}, y);
  return {kPower, work_varies ? "a * (D/P)^b" : "a * P^b",
          c ? std::vector<double>{std::exp((*c)[0]), (*c)[1]}
            : std::vector<double>{std::exp(mean(y)), 0}};
}

}  // namespace

double Baseline::time_s(double procs, double work) const {
  const std::vector<double>& k = coefficients;
  if (name == kAnalytical) return k[0] * work / procs + k[1];
  if (name == kEmpirical) return k[0] * work / procs + k[1] * std::pow(procs, k[2]) + k[3];
  return k[0] * std::pow(formula == "a * P^b" ? procs : work / procs, k[1]);
}

std::vector<Baseline> fit_baselines(const std::vector<FitPoint>& points) {
  std::vector<FitPoint> usable = points;
  std::erase_if(usable, [](const FitPoint& p) { return p.value <= 0; });
  if (distinct_places(usable) < 2) return {};
  return {analytical(usable), empirical(usable), power_law(usable)};
}

}  // namespace apmt
