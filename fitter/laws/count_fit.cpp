#include "fitter/laws/count_fit.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "fitter/laws/exponential_fit.h"
#include "fitter/numeric/small_least_squares.h"

namespace apmt {
namespace {

constexpr double kPriorScatter = 0.005;  // s0 in count_fit.h
constexpr double kPriorWeight = 4;       // w in count_fit.h
constexpr double kFarthest = 1024;       // laws are checked up to this multiple of the largest P
constexpr std::size_t kMostKept = 12;
constexpr double kLeastWeight = 0.01;  // relative to the likeliest law; lighter laws are dropped

struct Data {
  const std::vector<FitPoint>& points;
  std::vector<double> weight;  // 1 / scale of each value
  std::size_t distinct = 0;
  bool work_varies = false;
  double max_procs = 0;
  double min_procs = INFINITY;
};

Data prepare(const std::vector<FitPoint>& points) {
  Data data{.points = points, .weight = {}};
  double largest = 0;
  std::set<std::pair<double, double>> places;
  for (const FitPoint& p : points) {
    largest = std::max(largest, std::abs(p.value));
    places.insert({p.procs, p.work});
    data.work_varies = data.work_varies || p.work != points.front().work;
    data.max_procs = std::max(data.max_procs, p.procs);
    data.min_procs = std::min(data.min_procs, p.procs);
  }
  data.distinct = places.size();
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
  if (law.free_numbers == 1) return law.value(data.max_procs, data.points.back().work) > 0;
  if (std::all_of(law.terms.begin(), law.terms.end(),
                  [](const LawTerm& t) { return t.coefficient >= 0 && t.exp_rate <= 0; }))
    return true;
  // The check uses the work at the fewest and at the most profiled processes.
  std::vector<double> works = {data.points.front().work};
  if (data.points.back().work != works.front()) works.push_back(data.points.back().work);
  for (double p = data.min_procs; p <= kFarthest * data.max_procs; p *= 1.5) {
    for (const double work : works) {
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

void judge(Hypothesis* law, const Data& data, CountKind kind) {
  double ss = 0;
  law->exact = true;
  for (std::size_t i = 0; i < data.points.size(); ++i) {
    const FitPoint& p = data.points[i];
    const double fitted = law->value(p.procs, p.work);
    ss += std::pow((fitted - p.value) * data.weight[i], 2);
    law->exact = law->exact && reproduces(fitted, p.value, kind);
  }
  law->rel_residual = std::sqrt(ss / static_cast<double>(data.points.size()));
}

/// Fits candidates one after the other in the same memory.
class CandidateFits {
 public:
  CandidateFits(const Data& data, CountKind kind) : data_(data), kind_(kind) {}

  /// The law of the candidate; nullptr if it has none. The pointer is valid until the next call.
  const Hypothesis* fit(const Candidate& candidate) {
    const std::size_t n = data_.points.size();
    problem_.begin(n);
    for (const auto& terms : candidate.columns) {
      std::vector<double>& values = problem_.add_column();
      for (std::size_t i = 0; i < n; ++i) {
        for (const LawTerm& t : terms)
          values[i] += t.value(data_.points[i].procs, data_.points[i].work);
        values[i] *= data_.weight[i];
      }
    }
    for (std::size_t i = 0; i < n; ++i) problem_.y()[i] = data_.points[i].value * data_.weight[i];
    if (!problem_.solve()) return nullptr;
    // Counts of two grid shapes may be added, but never subtracted.
    if (candidate.of_grid &&
        std::any_of(problem_.c().begin(), problem_.c().end(), [](double c) { return c < 0; }))
      return nullptr;
    law_.free_numbers = candidate.free_numbers();
    law_.terms.clear();
    for (std::size_t j = 0; j < candidate.columns.size(); ++j)
      for (LawTerm t : candidate.columns[j]) {
        t.coefficient *= problem_.c()[j];
        law_.terms.push_back(t);
      }
    judge(&law_, data_, kind_);
    return &law_;
  }

 private:
  const Data& data_;
  CountKind kind_;
  LeastSquares problem_;
  Hypothesis law_;
};

/// The logarithm of the weight, before normalisation.
double ln_weight(const Hypothesis& law, double complexity, const Data& data) {
  const double n = static_cast<double>(data.distinct);
  const double ss = n * law.rel_residual * law.rel_residual;
  const double dof = n - law.free_numbers + kPriorWeight;
  return -complexity - 0.5 * dof * std::log(ss + kPriorWeight * kPriorScatter * kPriorScatter);
}

struct Scored {
  Hypothesis law;
  double ln_weight;
};

/// Whether all coefficients are whole numbers, or half of one. Calls per message are a whole
/// number, or half of one if the law's grid shape counts both directions of each pair of
/// neighbours. If two freely fitted coefficients are both whole or half, this is no coincidence.
bool has_whole_coefficients(const Hypothesis& law) {
  return std::all_of(law.terms.begin(), law.terms.end(), [](const LawTerm& t) {
    const double twice = 2 * t.coefficient;
    return std::abs(twice - std::round(twice)) <= 1e-3;
  });
}

/// If any law is exact, keeps only the exact laws with the fewest free numbers. If these have two
/// or more free numbers, and has_whole_coefficients() is true for any of them, keeps only the laws
/// for which it is true.
void keep_exact(std::vector<Scored>* laws) {
  int fewest = 1 << 30;
  for (const Scored& s : *laws)
    if (s.law.exact) fewest = std::min(fewest, s.law.free_numbers);
  if (fewest == 1 << 30) return;
  std::erase_if(*laws,
                [&](const Scored& s) { return !s.law.exact || s.law.free_numbers != fewest; });
  const auto is_whole = [](const Scored& s) { return has_whole_coefficients(s.law); };
  if (fewest >= 2 && std::any_of(laws->begin(), laws->end(), is_whole))
    std::erase_if(*laws, [&](const Scored& s) { return !is_whole(s); });
}

CountLaw keep_likely(std::vector<Scored> laws) {
  CountLaw result;
  std::stable_sort(laws.begin(), laws.end(),
                   [](const Scored& a, const Scored& b) { return a.ln_weight > b.ln_weight; });
  double total = 0;
  for (Scored& s : laws) {
    const double weight = std::exp(s.ln_weight - laws.front().ln_weight);
    if (weight < kLeastWeight || result.hypotheses.size() == kMostKept) break;
    s.law.weight = weight;
    total += weight;
    result.hypotheses.push_back(std::move(s.law));
  }
  for (Hypothesis& h : result.hypotheses) h.weight /= total;
  return result;
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
  CountLaw result;
  if (points.empty()) return result;
  const Data data = prepare(points);
  if (std::all_of(points.begin(), points.end(), [](const FitPoint& p) { return p.value == 0; })) {
    Hypothesis zero;
    zero.exact = true;
    result.hypotheses.push_back(zero);
    return result;
  }
  std::vector<Scored> laws;
  CandidateFits fits(data, kind);
  for (const Candidate& c : data.work_varies ? catalog.in_procs_and_work : catalog.in_procs) {
    if (static_cast<std::size_t>(c.free_numbers()) >= data.distinct) continue;
    if (c.of_grid && kind != CountKind::kNeighbours) continue;
    const Hypothesis* law = fits.fit(c);
    if (law == nullptr || !is_admissible(*law, data)) continue;
    laws.push_back({*law, ln_weight(*law, c.complexity, data)});
  }
  double best = INFINITY;
  for (const Scored& s : laws) best = std::min(best, s.law.rel_residual);
  if (catalog.exponential_when_worse_than > 0 && best > catalog.exponential_when_worse_than &&
      data.distinct > 3 && !data.work_varies) {
    std::optional<Hypothesis> law = fit_exponential(points, data.weight);
    if (law && is_admissible(*law, data)) {
      judge(&*law, data, kind);
      const double weight = ln_weight(*law, 6, data);  // complexity: three numbers, an unusual form
      laws.push_back({std::move(*law), weight});
    }
  }
  keep_exact(&laws);
  return keep_likely(std::move(laws));
}

}  // namespace apmt
