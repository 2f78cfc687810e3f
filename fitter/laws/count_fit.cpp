#include "fitter/laws/count_fit.h"

#include <ceres/ceres.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <optional>

#include "base/square.h"
#include "fitter/numeric/small_least_squares.h"

namespace apmt {
namespace {

constexpr double kPriorScatter = 0.005;  // s0 in count_fit.h
constexpr double kPriorWeight = 4;       // w in count_fit.h
constexpr double kFarthest = 1024;       // laws are checked up to this multiple of the largest P
constexpr std::size_t kMostKept = 12;
constexpr std::size_t kLeastSpare = 2;  // points beyond the free numbers of a law that is not exact
constexpr double kLocalResidual = 0.02;  // local laws are as likely as a law that misses by this
// Half the change of the exponent of a count that jumps. Chosen with the recordings of
// bench/virtual/FOURTEEN.md; one of its counts is just above it.
constexpr double kJumps = 0.35;
constexpr double kUnknownChange = 0.25;  // of the exponent, if there are only two points
constexpr double kLeastExponent = -2;
constexpr double kLargestExponent = 3;
constexpr double kLeastWeight = 0.01;  // relative to the likeliest law; lighter laws are dropped

/// The points, sorted by P, and what fits need to know of them.
struct Data {
  const std::vector<FitPoint>& points;
  CountKind kind;
  std::vector<double> weight = {};  // 1 / scale of each value
  std::size_t distinct = distinct_places(points);
  bool work_varies = false;
};

Data prepare(const std::vector<FitPoint>& points, CountKind kind) {
  Data data{.points = points, .kind = kind};
  double largest = 0;
  for (const FitPoint& p : points) {
    largest = std::max(largest, std::abs(p.value));
    data.work_varies = data.work_varies || p.work != points.front().work;
  }
  // Residuals are relative to the value, but absolute for values far below the largest one (such as
  // zero at P = 1).
  for (const FitPoint& p : points)
    data.weight.push_back(1 / std::max(std::abs(p.value), 1e-3 * largest));
  return data;
}

bool is_admissible(const Hypothesis& law, const Data& data) {
  // A law is a sum of columns (Candidate in law_catalog.h), each with a coefficient. No column is
  // negative for P >= 1. So a law with one coefficient has the same sign everywhere, and a law
  // without negative coefficients is never negative.
  const FitPoint& first = data.points.front();
  const FitPoint& last = data.points.back();
  if (law.free_numbers == 1) return law.value(last.procs, last.work) > 0;
  if (std::ranges::all_of(law.terms, [](const LawTerm& t) { return t.coefficient >= 0; }))
    return true;
  for (double p = first.procs; p <= kFarthest * last.procs; p *= 1.5) {
    for (const double work : {first.work, last.work}) {
      double sum = 0;
      double magnitude = 0;
      for (const LawTerm& t : law.terms) {
        const double v = t.value(std::floor(p), work);
        sum += v;
        magnitude += std::abs(v);
      }
      if (!std::isfinite(sum) || sum < -1e-9 * magnitude) return false;
    }
  }
  return true;
}

bool reproduces(double fitted, double value, CountKind kind) {
  // A large count may be rounded (such as the bytes of a block that is not a whole number of
  // cells). So a law need not match its last digits. Otherwise the fit would find a second term
  // that only describes the rounding.
  const double units = kind == CountKind::kReal ? 0 : 1e-3;
  return std::abs(fitted - value) <= 1e-6 * std::abs(value) + units;
}

void judge(Hypothesis* law, const Data& data) {
  double ss = 0;
  law->exact = true;
  for (std::size_t i = 0; i < data.points.size(); ++i) {
    const FitPoint& p = data.points[i];
    const double fitted = law->value(p.procs, p.work);
    ss += std::pow((fitted - p.value) * data.weight[i], 2);
    law->exact = law->exact && reproduces(fitted, p.value, data.kind);
  }
  law->rel_residual = std::sqrt(ss / static_cast<double>(data.points.size()));
}

/// The memory in which candidates are fitted one after the other.
struct CandidateMemory {
  std::vector<std::vector<double>> columns;
  std::vector<double> y, c;
  Hypothesis law;
};

/// The law of the candidate; nullptr if it has none.
const Hypothesis* fit_candidate(const Candidate& candidate, const Data& data,
                                CandidateMemory* memory) {
  auto& [columns, y, c, law] = *memory;
  const std::size_t n = data.points.size();
  columns.resize(candidate.columns.size());
  for (std::size_t j = 0; j < columns.size(); ++j) {
    columns[j].assign(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      for (const LawTerm& t : candidate.columns[j])
        columns[j][i] += t.value(data.points[i].procs, data.points[i].work);
      columns[j][i] *= data.weight[i];
    }
  }
  y.resize(n);
  for (std::size_t i = 0; i < n; ++i) y[i] = data.points[i].value * data.weight[i];
  if (!solve_in_place(columns, y, &c)) return nullptr;
  // Counts of two grid shapes may be added, but never subtracted.
  if (candidate.of_grid && std::ranges::any_of(c, [](double x) { return x < 0; })) return nullptr;
  law.free_numbers = candidate.free_numbers();
  law.terms.clear();
  for (std::size_t j = 0; j < candidate.columns.size(); ++j)
    for (LawTerm t : candidate.columns[j]) {
      t.coefficient *= c[j];
      law.terms.push_back(t);
    }
  judge(&law, data);
  return &law;
}

/// The logarithm of the weight, before normalisation.
double ln_weight(const Hypothesis& law, double complexity, const Data& data) {
  const double n = static_cast<double>(data.distinct);
  const double ss = n * law.rel_residual * law.rel_residual;
  const double dof = n - law.free_numbers + kPriorWeight;
  return -complexity - 0.5 * dof * std::log(ss + kPriorWeight * kPriorScatter * kPriorScatter);
}

/// Whether all coefficients are whole numbers, or half of one. Calls per message are a whole
/// number, or half of one if the law's grid shape counts both directions of each pair of
/// neighbours. If two freely fitted coefficients are both whole or half, this is no coincidence.
bool has_whole_coefficients(const Hypothesis& law) {
  return std::ranges::all_of(law.terms, [](const LawTerm& t) {
    const double twice = 2 * t.coefficient;
    return std::abs(twice - std::round(twice)) <= 1e-3;
  });
}

/// If any law is exact, keeps only the exact laws with the fewest free numbers. If these have two
/// or more free numbers, and has_whole_coefficients() is true for any of them, keeps only the laws
/// for which it is true.
void keep_exact(std::vector<Hypothesis>* laws) {
  if (std::ranges::none_of(*laws, &Hypothesis::exact)) return;
  std::erase_if(*laws, [](const Hypothesis& h) { return !h.exact; });
  const int fewest = std::ranges::min_element(*laws, {}, &Hypothesis::free_numbers)->free_numbers;
  std::erase_if(*laws, [&](const Hypothesis& h) { return h.free_numbers != fewest; });
  if (fewest >= 2 && std::ranges::any_of(*laws, has_whole_coefficients))
    std::erase_if(*laws, std::not_fn(has_whole_coefficients));
}

/// The likeliest laws; their weights are still logarithms (ln_weight()).
CountLaw keep_likely(std::vector<Hypothesis> laws) {
  if (laws.empty()) return {};
  std::ranges::stable_sort(laws, std::greater{}, &Hypothesis::weight);
  const double highest = laws.front().weight;
  for (Hypothesis& h : laws) h.weight = std::exp(h.weight - highest);
  std::erase_if(laws, [](const Hypothesis& h) { return h.weight < kLeastWeight; });
  laws.resize(std::min(laws.size(), kMostKept));
  double total = 0;
  for (const Hypothesis& h : laws) total += h.weight;
  for (Hypothesis& h : laws) h.weight /= total;
  return {std::move(laws)};
}

/// Whether a law that is not exact has so few points beside its free numbers that one of the many
/// laws of the catalog passes near them by chance.
bool is_by_chance(const Hypothesis& law, const Data& data) {
  const std::size_t spare = data.distinct - static_cast<std::size_t>(law.free_numbers);
  return !law.exact && spare < std::min<std::size_t>(kLeastSpare, data.distinct - 1);
}

/// Powers of P through the last point. Their exponent is the one between the last two points or,
/// because exponents change, differs from it by half of its last change. If the exponent changes by
/// much, the count jumps, so the mean of the last two exponents is the likeliest. None if fewer
/// than two points follow the last count of zero.
std::vector<Hypothesis> local_laws(const Data& data) {
  std::map<double, std::pair<double, int>> sums;  // by P: of the counts in all layouts
  for (const FitPoint& p : data.points) {
    sums[p.procs].first += p.value;
    ++sums[p.procs].second;
  }
  std::vector<std::pair<double, double>> points;  // ln P and ln of the count
  for (const auto& [procs, sum] : sums) {
    if (sum.first > 0)
      points.emplace_back(std::log(procs), std::log(sum.first / sum.second));
    else
      points.clear();
  }
  if (points.size() < 2) return {};
  const auto exponent_before = [&](std::size_t i) {
    return (points[i].second - points[i - 1].second) / (points[i].first - points[i - 1].first);
  };
  const std::size_t last = points.size() - 1;
  double exponent = exponent_before(last);
  double change = kUnknownChange;
  if (last > 1) {
    const double before = exponent_before(last - 1);
    change = 0.5 * std::abs(exponent - before);
    if (change > kJumps) exponent = 0.5 * (before + exponent);
  }
  const double n = static_cast<double>(data.distinct);
  const double ln_all = -0.5 * (n - 1 + kPriorWeight) *
                        std::log(n * square(kLocalResidual) + kPriorWeight * square(kPriorScatter));
  std::vector<Hypothesis> laws;
  for (const auto& [by, weight] : {std::pair(0.0, 0.5), {-change, 0.25}, {change, 0.25}}) {
    const double e = std::clamp(exponent + by, kLeastExponent, kLargestExponent);
    const double coefficient = std::exp(points[last].second - e * points[last].first);
    laws.push_back({.terms = {{.coefficient = coefficient, .p_exponent = e}},
                    .free_numbers = 2,
                    .weight = ln_all + std::log(weight)});
  }
  return laws;
}

/// Residual of one point. `u` is P divided by the largest P, so that the three coefficients have
/// similar sizes.
struct Residual {
  double u;
  double value;
  double weight;
  template <typename T>
  bool operator()(const T* c, T* residual) const {
    using std::exp;
    residual[0] = (c[0] + c[1] * exp(c[2] * T(u)) - T(value)) * T(weight);
    return true;
  }
};

/// Fits c0 + c1 * exp(c2 * P) with c2 < 0, a count that saturates: the only law that is not linear
/// in its coefficients, by weighted nonlinear least squares, robust against one bad point (Huber).
/// (No rising exponential can be extrapolated to kFarthest times as many processes.) Returns
/// nothing if this does not converge.
std::optional<Hypothesis> fit_saturation(const Data& data) {
  const std::vector<FitPoint>& points = data.points;
  const double max_procs = points.back().procs;
  double c[3] = {points.back().value, points.front().value - points.back().value, -2};
  ceres::Problem problem;
  for (std::size_t i = 0; i < points.size(); ++i)
    problem.AddResidualBlock(new ceres::AutoDiffCostFunction<Residual, 1, 3>(new Residual{
                                 points[i].procs / max_procs, points[i].value, data.weight[i]}),
                             new ceres::HuberLoss(0.1), c);
  problem.SetParameterLowerBound(c, 2, -20);
  problem.SetParameterUpperBound(c, 2, 0);
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.max_num_iterations = 100;
  options.num_threads = 1;
  options.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  if (!summary.IsSolutionUsable() || c[2] >= 0) return std::nullopt;
  Hypothesis law{
      .terms = {{.coefficient = c[0]}, {.coefficient = c[1], .exp_rate = c[2] / max_procs}},
      .free_numbers = 3};
  judge(&law, data);
  return law;
}

}  // namespace

double work_ahead(const std::vector<FitPoint>& points, double factor) {
  const FitPoint& first = points.front();
  const FitPoint& last = points.back();
  if (last.procs <= first.procs) return last.work;
  const double growth = std::log(last.work / first.work) / std::log(last.procs / first.procs);
  return last.work * std::pow(factor, growth);
}

CountLaw fit_count(const std::vector<FitPoint>& points, const LawCatalog& catalog, CountKind kind) {
  if (points.empty()) return {};
  if (std::ranges::all_of(points, [](const FitPoint& p) { return p.value == 0; }))
    return {.hypotheses = {{.terms = {}, .exact = true}}};
  const Data data = prepare(points, kind);
  std::vector<Hypothesis> laws;
  const auto consider = [&](const Hypothesis& law, double complexity) {
    if (!is_admissible(law, data)) return;
    laws.push_back(law);
    laws.back().weight = ln_weight(law, complexity, data);
  };
  CandidateMemory memory;
  for (const Candidate& c : data.work_varies ? catalog.in_procs_and_work : catalog.in_procs) {
    if (static_cast<std::size_t>(c.free_numbers()) >= data.distinct) continue;
    if (c.of_grid && kind != CountKind::kNeighbours && !(c.of_rows && kind == CountKind::kWhole))
      continue;
    if (const Hypothesis* law = fit_candidate(c, data, &memory)) consider(*law, c.complexity);
  }
  const double limit = catalog.exponential_when_worse_than;
  if (limit > 0 && data.distinct > 3 && !data.work_varies &&
      std::ranges::none_of(laws, [&](const Hypothesis& h) { return h.rel_residual <= limit; }))
    if (const auto law = fit_saturation(data))
      consider(*law, 6);  // complexity: three numbers, an unusual form
  if (kind != CountKind::kReal && !data.work_varies &&
      std::ranges::none_of(laws, &Hypothesis::exact)) {
    const std::vector<Hypothesis> local = local_laws(data);
    if (!local.empty())
      std::erase_if(laws, [&](const Hypothesis& h) {
        return h.rel_residual > kLocalResidual || is_by_chance(h, data);
      });
    laws.insert(laws.end(), local.begin(), local.end());
  }
  keep_exact(&laws);
  return keep_likely(std::move(laws));
}

namespace {

constexpr double kNear = 0.05;        // a law with a larger relative residual does not fit,
constexpr double kScattered = 2;      // unless the counts scatter: then this times their deviation,
constexpr double kFarthestOff = 0.3;  // but at most this
constexpr double kJump = 1.5;         // least ratio of accesses per unit of work between regimes
constexpr double kFewAccesses = 1e-3;  // of the largest count; smaller counts are treated as zero

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
  if (std::ranges::all_of(points,
                          [&](const FitPoint& p) { return p.value <= kFewAccesses * largest; })) {
    // These accesses are few: only cold misses and borders. Their growth does not matter, so their
    // law is their mean.
    double sum = 0;
    for (const FitPoint& p : points) sum += p.value;
    Hypothesis few{.terms = {}, .free_numbers = 1};
    if (sum > 0) few.terms = {{.coefficient = sum / static_cast<double>(points.size())}};
    return few;
  }
  if (points.size() == 1) {
    const double per_work = points.front().value / points.front().work;
    return Hypothesis{.terms = {{.coefficient = per_work, .work_exponent = 1}}, .free_numbers = 1};
  }
  for (const Hypothesis& h : fit_count(points, catalog, CountKind::kReal).hypotheses)
    if (h.rel_residual <= near_to(points)) return h;
  return std::nullopt;
}

/// Whether the accesses per unit of work differ by a jump.
bool jumps(const FitPoint& a, const FitPoint& b, double largest) {
  const double before = std::max(a.value, kFewAccesses * largest) / a.work;
  const double after = std::max(b.value, kFewAccesses * largest) / b.work;
  return std::max(before, after) > kJump * std::min(before, after);
}

/// The law of points that are cut into ranges, each of which ends before the point with one of the
/// indices `ends`. The points are sorted by falling work per process. Returns nothing if the
/// accesses of two neighbouring ranges do not differ by a jump, or if a range has no law.
std::optional<Hypothesis> law_of_ranges(const std::vector<FitPoint>& points,
                                        const std::vector<std::size_t>& ends, double largest,
                                        const LawCatalog& catalog) {
  Hypothesis all;
  double below_x = INFINITY;
  auto first = points.begin();
  for (const std::size_t index : ends) {
    const auto end = points.begin() + static_cast<std::ptrdiff_t>(index);
    double from_x = 0;
    if (end != points.end()) {
      const double above = std::prev(end)->work_per_process();
      const double below = end->work_per_process();
      if (!(below < above * (1 - 1e-9)) || !jumps(*std::prev(end), *end, largest))
        return std::nullopt;
      from_x = std::sqrt(above * below);
    }
    std::vector<FitPoint> range(first, end);
    std::ranges::sort(range, {}, &FitPoint::procs);
    const std::optional<Hypothesis> law = law_of(range, largest, catalog);
    if (!law) return std::nullopt;
    all.free_numbers += std::max(1, law->free_numbers);
    for (LawTerm term : law->terms) {
      term.from_x = from_x;
      term.below_x = below_x;
      all.terms.push_back(term);
    }
    below_x = from_x;
    first = end;
  }
  double squares = 0;
  all.exact = true;
  for (const FitPoint& p : points) {
    const double miss = all.value(p.procs, p.work) - p.value;
    squares += std::pow(miss / std::max(p.value, kFewAccesses * largest), 2);
    all.exact = all.exact && std::abs(miss) <= 1e-6 * p.value;
  }
  all.rel_residual = std::sqrt(squares / static_cast<double>(points.size()));
  return all;
}

/// The best law with two ranges; if there is none, with three.
std::optional<Hypothesis> best_law_of_ranges(std::vector<FitPoint> points,
                                             const LawCatalog& catalog) {
  std::ranges::stable_sort(points, std::greater{}, &FitPoint::work_per_process);
  double largest = 0;
  for (const FitPoint& p : points) largest = std::max(largest, p.value);
  std::optional<Hypothesis> best;
  const auto consider = [&](const std::vector<std::size_t>& ends) {
    std::optional<Hypothesis> law = law_of_ranges(points, ends, largest, catalog);
    if (!law || law->rel_residual > near_to(points)) return;
    if (!best || law->rel_residual < best->rel_residual) best = std::move(law);
  };
  const std::size_t end = points.size();
  for (std::size_t cut = 1; cut < end; ++cut) consider({cut, end});
  if (best) return best;
  for (std::size_t cut = 1; cut + 1 < end; ++cut) consider({cut, cut + 1, end});
  return best;
}

}  // namespace

CountLaw fit_with_regimes(const std::vector<FitPoint>& points, const LawCatalog& catalog) {
  CountLaw one = fit_count(points, catalog, CountKind::kReal);
  const double residual = one.hypotheses.empty() ? INFINITY : one.hypotheses.front().rel_residual;
  if (residual <= kNear || points.size() < 3) return one;
  std::optional<Hypothesis> regimes = best_law_of_ranges(points, with_one_number(catalog));
  if (!regimes || regimes->rel_residual >= residual) return one;
  return {{std::move(*regimes)}};
}

}  // namespace apmt
