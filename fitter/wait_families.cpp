#include "fitter/wait_families.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/square.h"
#include "fitter/mechanisms.h"

namespace apmt {
namespace {

constexpr double kCostSd = 0.35;  // of ln(waiting for the busiest rank / its excess)
constexpr double kSlopeSd = 0.3;  // of the measured growth of the relative excess, as a power of P
constexpr double kSteepest = 1.2, kFlattest = 0.3;  // limits of the exponent of computation

struct Excess {
  double procs = 0;
  double comp_s = 0;    // mean over the ranks
  double relative = 0;  // by how much the longest computing exceeds the mean
  double wait_s = 0;    // in all calls
  double seconds() const { return relative * comp_s; }
};

/// The excess at this P and D: the mean over points that differ only in layout.
std::optional<Excess> excess_at(const Experiment& e, const std::vector<double>& work,
                                const FitPoint& point) {
  Excess sum{.procs = point.procs};
  double found = 0;
  for (std::size_t i = 0; i < e.points.size(); ++i) {
    const ExperimentPoint& p = e.points[i];
    if (p.procs != point.procs || work[i] != point.work) continue;
    if (!p.parts.comp_s || !p.parts.comm_wait_s || !(p.load_balance > 0)) return std::nullopt;
    sum.comp_s += p.parts.comp_s->value;
    sum.wait_s += p.parts.comm_wait_s->value;
    sum.relative += 1 / p.load_balance - 1;
    ++found;
  }
  sum.comp_s /= found;
  sum.wait_s /= found;
  sum.relative /= found;
  if (!(sum.seconds() > 0 && sum.wait_s > 0)) return std::nullopt;
  return sum;
}

/// The power of P by which a quantity grew between two points.
double growth(double before, double after, const Excess& a, const Excess& b) {
  return std::log(after / before) / std::log(b.procs / a.procs);
}

struct Trend {
  const char* name;
  double of_computation;  // the excess falls as this power of the compute time
};
constexpr Trend kTrends[] = {{"uneven shares of the problem", 1},
                             {"random shares of the problem", 0.5},
                             {"work that it does alone", 0}};

/// The excess over all ranks, beyond the points. If one process works alone for a time S, it
/// exceeds the mean by S (1 - 1/P).
Hypothesis ahead_of(const Excess& last, const Trend& trend, double falls) {
  Hypothesis law;
  if (trend.of_computation == 0) {
    const double alone_s = last.seconds() / (1 - 1 / last.procs);
    law.terms = {{.coefficient = alone_s, .p_exponent = 1}, {.coefficient = -alone_s}};
  } else {
    const double exponent = falls * trend.of_computation;
    law.terms = {{.coefficient = last.seconds() * std::pow(last.procs, exponent),
                  .p_exponent = 1 - exponent}};
  }
  return law;
}

/// `share`: of the law in all waiting.
CountFamily family_of(const Trend& trend, const std::vector<Excess>& excesses, double falls,
                      double share) {
  CountFamily family;
  family.name = trend.name;
  Feature excess;
  excess.name = "excess";
  excess.unit = "s/s";
  excess.of = "what the busiest process computes beyond the mean";
  excess.expected = {share, kCostSd};
  excess.counts = {ahead_of(excesses.back(), trend, falls)};
  excess.size_exponent = 1;
  for (const Excess& x : excesses) excess.seen.push_back(x.seconds());
  Feature delays;
  delays.name = "delays";
  delays.unit = "s";
  delays.of = "random delays";
  Hypothesis constant;
  constant.terms = {{.coefficient = 1, .p_exponent = 1}};
  delays.counts = {constant};
  delays.size_exponent = 1;
  family.features = {std::move(excess), std::move(delays)};
  return family;
}

}  // namespace

std::vector<CountFamily> wait_families(const Experiment& e, const std::vector<double>& work,
                                       const std::vector<FitPoint>& points) {
  if (!mechanisms().wait_causes || points.size() < 2) return {};
  std::vector<Excess> excesses;
  for (const FitPoint& p : points) {
    const std::optional<Excess> excess = excess_at(e, work, p);
    if (!excess || p.work != points.front().work) return {};
    // The points are sorted by P; layouts of the same P do not show a trend.
    if (!excesses.empty() && excesses.back().procs == p.procs) return {};
    excesses.push_back(*excess);
  }
  double share = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    share += points[i].value / excesses[i].wait_s / static_cast<double>(points.size());
  const Excess& last = excesses.back();
  const Excess& before = excesses[excesses.size() - 2];
  const double falls =
      std::clamp(-growth(before.comp_s, last.comp_s, before, last), kFlattest, kSteepest);
  const double grew = growth(before.relative, last.relative, before, last);
  std::vector<CountFamily> families;
  double sum = 0;
  for (const Trend& trend : kTrends) {
    families.push_back(family_of(trend, excesses, falls, share));
    const double expected = falls * (1 - trend.of_computation);
    sum += families.back().prior = std::exp(-0.5 * square((grew - expected) / kSlopeSd));
  }
  if (!(sum > 0)) {  // the relative excess changed by far more than in any of the families
    for (CountFamily& f : families) sum += f.prior = 1;
  }
  for (CountFamily& f : families) f.prior /= sum;
  return families;
}

}  // namespace apmt
