#include "machine/collective_law.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace apmt {
namespace {

struct Shape {
  const char* name;
  double (*at)(double procs);
};

/// Terms of the usual algorithms on P ranks. 1: latency alone. log2 P: trees and recursive
/// doubling. log2(P)^2: trees whose root sends several long messages one after another. P - 1: the
/// steps of a ring or a pairwise exchange. 1 - 1/P: the share of the data that a rank sends in a
/// ring.
const Shape kShapes[] = {{"1", [](double) { return 1.0; }},
                         {"log2 P", [](double p) { return std::log2(p); }},
                         {"log2(P)^2", [](double p) { return std::log2(p) * std::log2(p); }},
                         {"P - 1", [](double p) { return p - 1; }},
                         {"1 - 1/P", [](double p) { return 1 - 1 / p; }}};

using Points = std::vector<std::pair<double, double>>;  // ranks, seconds

/// Fits by least squares of relative errors; empty if a coefficient would not be positive.
std::vector<CollectiveLaw::Term> fit_terms(const Points& points, const Shape& a, const Shape* b) {
  double aa = 0, ab = 0, bb = 0, at = 0, bt = 0;
  for (const auto& [procs, time] : points) {
    const double x = a.at(procs) / time;
    const double y = b == nullptr ? 0 : b->at(procs) / time;
    aa += x * x;
    ab += x * y;
    bb += y * y;
    at += x;
    bt += y;
  }
  if (b == nullptr) return {{a.name, at / aa}};
  const double determinant = aa * bb - ab * ab;
  if (!(determinant > 1e-9 * aa * bb)) return {};
  const double first = (at * bb - bt * ab) / determinant;
  const double second = (bt * aa - at * ab) / determinant;
  if (!(first > 0) || !(second > 0)) return {};
  return {{a.name, first}, {b->name, second}};
}

void consider(const Points& points, const Shape& a, const Shape* b, double* best_squares,
              CollectiveLaw* best) {
  // A second term must reduce the mean squared relative error by at least this much.
  constexpr double kPrice = 1e-4;
  CollectiveLaw law;
  law.terms = fit_terms(points, a, b);
  if (law.terms.empty()) return;
  double squares = b == nullptr ? 0 : kPrice * static_cast<double>(points.size());
  for (const auto& [procs, time] : points) {
    const double error = std::abs(law.time_s(procs) / time - 1);
    squares += error * error;
    law.worst_error = std::max(law.worst_error, error);
  }
  if (squares >= *best_squares) return;
  *best_squares = squares;
  best->terms = law.terms;
  best->worst_error = law.worst_error;
}

}  // namespace

double CollectiveLaw::time_s(double procs) const {
  double time = 0;
  for (const Term& term : terms)
    for (const Shape& shape : kShapes)
      if (term.name == shape.name) time += term.seconds * shape.at(procs);
  return time;
}

std::vector<CollectiveLaw> fit_collectives(const std::vector<CollectiveTime>& times) {
  constexpr std::size_t kFewest = 3;
  std::map<std::pair<std::string, double>, Points> by_kind;
  for (const CollectiveTime& one : times)
    if (one.time_s.value > 0 && one.procs > 1)
      by_kind[{one.op, one.bytes}].push_back({one.procs, one.time_s.value});
  std::vector<CollectiveLaw> laws;
  for (const auto& [kind, points] : by_kind) {
    if (points.size() < kFewest) continue;
    CollectiveLaw law;
    law.op = kind.first;
    law.bytes = kind.second;
    double best = INFINITY;
    for (const Shape& a : kShapes) {
      consider(points, a, nullptr, &best, &law);
      for (const Shape& b : kShapes)
        if (&b > &a) consider(points, a, &b, &best, &law);
    }
    laws.push_back(law);
  }
  return laws;
}

}  // namespace apmt
