#include "fitter/laws/regime_fit.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/square.h"
#include "fitter/laws/count_fit.h"

namespace apmt {
namespace {

constexpr double kNear = 0.05;        // a law with a larger relative residual does not fit,
constexpr double kScattered = 2;      // unless the counts scatter: then this times their deviation,
constexpr double kFarthestOff = 0.3;  // but at most this
constexpr double kJump = 1.5;         // least ratio of accesses per unit of work between regimes
constexpr double kSmallCount = 1e-3;  // of the largest count; smaller counts are treated as zero

double work_per_process(const FitPoint& p) { return p.work / p.procs; }

/// The largest relative residual of a law that fits.
double near_to(const std::vector<FitPoint>& points) {
  double squares = 0;
  for (const FitPoint& p : points)
    squares += square(std::max(p.rel_sigma, p.rel_sampling)) / std::max(1, p.repetitions);
  const double scatter = std::sqrt(squares / static_cast<double>(points.size()));
  return std::clamp(kScattered * scatter, kNear, kFarthestOff);
}

/// The laws with one free number. Counts vary by a few units, and a second number would only
/// describe these variations.
LawCatalog with_one_number(LawCatalog catalog) {
  for (auto* candidates : {&catalog.in_procs, &catalog.in_procs_and_work})
    std::erase_if(*candidates, [](const Candidate& c) { return c.free_numbers() > 1; });
  catalog.exponential_when_worse_than = 0;
  return catalog;
}

/// The law of one regime.
std::optional<Hypothesis> law_of(const std::vector<FitPoint>& points, double largest,
                                 const LawCatalog& catalog) {
  if (std::all_of(points.begin(), points.end(),
                  [&](const FitPoint& p) { return p.value <= kSmallCount * largest; })) {
    // These accesses are few: only cold misses and borders. Their growth does not matter, so their
    // law is their mean.
    double sum = 0;
    for (const FitPoint& p : points) sum += p.value;
    Hypothesis few;
    few.free_numbers = 1;
    if (sum > 0) few.terms = {{.coefficient = sum / static_cast<double>(points.size())}};
    return few;
  }
  if (points.size() == 1) {
    Hypothesis as_work;
    as_work.terms = {
        {.coefficient = points.front().value / points.front().work, .work_exponent = 1}};
    as_work.free_numbers = 1;
    return as_work;
  }
  for (const Hypothesis& h : fit_count(points, catalog, CountKind::kReal).hypotheses)
    if (h.rel_residual <= near_to(points)) return h;
  return std::nullopt;
}

/// A possible division: the points, sorted by falling work per process, cut into ranges.
struct Regimes {
  std::vector<Hypothesis> laws;
  std::vector<double> borders;  // work per process; one fewer than laws
};

Hypothesis joined(const Regimes& regimes, const std::vector<FitPoint>& points) {
  Hypothesis all;
  for (std::size_t i = 0; i < regimes.laws.size(); ++i) {
    all.free_numbers += std::max(1, regimes.laws[i].free_numbers);
    for (LawTerm term : regimes.laws[i].terms) {
      if (i < regimes.borders.size()) term.from_x = regimes.borders[i];
      if (i > 0) term.below_x = regimes.borders[i - 1];
      all.terms.push_back(term);
    }
  }
  double largest = 0;
  for (const FitPoint& p : points) largest = std::max(largest, p.value);
  double squares = 0;
  all.exact = true;
  for (const FitPoint& p : points) {
    const double miss = all.value(p.procs, p.work) - p.value;
    squares += std::pow(miss / std::max(p.value, kSmallCount * largest), 2);
    all.exact = all.exact && std::abs(miss) <= 1e-6 * p.value;
  }
  all.rel_residual = std::sqrt(squares / static_cast<double>(points.size()));
  return all;
}

class Search {
 public:
  Search(std::vector<FitPoint> points, const LawCatalog& catalog)
      : points_(std::move(points)), catalog_(with_one_number(catalog)) {
    std::stable_sort(points_.begin(), points_.end(), [](const FitPoint& a, const FitPoint& b) {
      return work_per_process(a) > work_per_process(b);
    });
    for (const FitPoint& p : points_) largest_ = std::max(largest_, p.value);
  }

  std::optional<Hypothesis> best() const {
    std::optional<Hypothesis> best;
    const auto consider = [&](const std::vector<std::size_t>& cuts) {
      const std::optional<Regimes> found = cut_at(cuts);
      if (!found) return;
      Hypothesis law = joined(*found, points_);
      if (law.rel_residual > near_to(points_)) return;
      if (!best || law.rel_residual < best->rel_residual) best = std::move(law);
    };
    for (std::size_t cut = 1; cut < points_.size(); ++cut) consider({cut});
    if (best) return best;
    for (std::size_t cut = 1; cut + 1 < points_.size(); ++cut) consider({cut, cut + 1});
    return best;
  }

 private:
  /// Cuts the points into ranges: the first range begins at the first point, the others at the
  /// points with these indices. Returns nothing if the accesses of two neighbouring ranges do not
  /// differ by a jump, or if a range has no law.
  std::optional<Regimes> cut_at(const std::vector<std::size_t>& cuts) const {
    Regimes regimes;
    std::size_t first = 0;
    for (std::size_t i = 0; i <= cuts.size(); ++i) {
      const std::size_t end = i < cuts.size() ? cuts[i] : points_.size();
      if (end < points_.size()) {
        const double above = work_per_process(points_[end - 1]);
        const double below = work_per_process(points_[end]);
        if (!(below < above * (1 - 1e-9)) || !jumps(points_[end - 1], points_[end]))
          return std::nullopt;
        regimes.borders.push_back(std::sqrt(above * below));
      }
      const auto at = points_.begin();
      std::vector<FitPoint> part(at + static_cast<std::ptrdiff_t>(first),
                                 at + static_cast<std::ptrdiff_t>(end));
      std::sort(part.begin(), part.end(),
                [](const FitPoint& a, const FitPoint& b) { return a.procs < b.procs; });
      const auto law = law_of(part, largest_, catalog_);
      if (!law) return std::nullopt;
      regimes.laws.push_back(*law);
      first = end;
    }
    return regimes;
  }

  bool jumps(const FitPoint& a, const FitPoint& b) const {
    const double before = std::max(a.value, kSmallCount * largest_) / a.work;
    const double after = std::max(b.value, kSmallCount * largest_) / b.work;
    return std::max(before, after) > kJump * std::min(before, after);
  }

  std::vector<FitPoint> points_;
  LawCatalog catalog_;
  double largest_ = 0;
};

}  // namespace

CountLaw fit_with_regimes(const std::vector<FitPoint>& points, const LawCatalog& catalog) {
  CountLaw one = fit_count(points, catalog, CountKind::kReal);
  const double residual = one.hypotheses.empty() ? INFINITY : one.hypotheses.front().rel_residual;
  if (residual <= kNear || points.size() < 3) return one;
  std::optional<Hypothesis> regimes = Search(points, catalog).best();
  if (!regimes || regimes->rel_residual >= residual) return one;
  CountLaw law;
  law.hypotheses.push_back(std::move(*regimes));
  return law;
}

}  // namespace apmt
