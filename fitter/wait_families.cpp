#include "fitter/wait_families.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "base/square.h"
#include "fitter/mechanisms.h"
#include "fitter/run_parts.h"
#include "fitter/spread.h"

namespace apmt {
namespace {

constexpr double kCostSd = 0.35;     // of ln(waiting for the busiest rank / its excess)
constexpr double kSlopeScale = 0.2;  // of the growth of the relative excess, as a power of P
constexpr double kSteepest = 1.2;    // computation falls no faster: as 1/P, or a little more

/// The time outside MPI at one process count: medians over the runs.
struct Excess {
  double mean_s = 0;   // over the ranks
  double seconds = 0;  // by which the longest exceeds the mean
  double relative() const { return seconds / mean_s; }
};

/// The excess by process count. Runs with the same process count but different layouts are taken
/// together. Empty if there is no excess at one of the process counts of the points.
std::map<double, Excess> excesses_of(const Experiment& e, const std::vector<FitPoint>& points) {
  std::map<double, Excess> excesses;
  for (const FitPoint& point : points) {
    std::vector<double> means, seconds;
    for (const ExperimentPoint& p : e.points) {
      if (p.procs != point.procs || !p.parts.comm_wait_s) continue;
      for (const std::size_t r : p.runs) {
        const RankTimes& t = e.runs[r].times;
        means.push_back(t.main_s.mean() - t.mpi_s.mean());
        // imbalance_s() is not used, because it leaves out what a rank computes after the mean end
        // of all ranks. With it, predictions of recorded programs are a little worse.
        seconds.push_back(excess_outside_mpi_s(t));
      }
    }
    if (means.empty()) return {};
    const Excess excess{median(means), median(seconds)};
    if (!(excess.seconds > 0)) return {};
    excesses[point.procs] = excess;
  }
  return excesses;
}

struct Trend {
  const char* name;
  double of_computation;  // with more processes, the excess falls as this power of the compute time
  double of_size;         // with a larger problem, it grows as this power of the compute time
};
constexpr Trend kTrends[] = {{"uneven shares of the problem", 1, 1},
                             {"random shares of the problem", 0.5, 0.5},
                             {"work that it does alone", 0, 1}};

/// What else costs time, apart from the excess. Rare long delays cost the same at every process
/// count. For frequent short ones, only the variation of their number costs time. It grows as the
/// square root of the number, which is proportional to compute time. In a chain, each process waits
/// for all before it.
struct Delays {
  const char* of;
  double of_procs;        // the cost grows as this power of the process count
  double of_computation;  // as in Trend
  double of_size;
  double prior;
};

/// `chain`: how well a chain describes where messages are waited for (chain_share).
std::vector<Delays> kinds_of_delays(double chain) {
  return {{"random delays", 0, 0, 1, 0.5},
          {"random delays", 0, 0.5, 0.5, 0.5},
          {"waiting along a chain of processes", 1, 0, 0, chain}};
}

/// The correlation of values by rank with the rank.
double correlation_with_rank(const std::vector<double>& of_ranks) {
  const double middle = (static_cast<double>(of_ranks.size()) - 1) / 2;
  double mean = 0;
  for (const double value : of_ranks) mean += value / static_cast<double>(of_ranks.size());
  double product = 0, of_rank = 0, of_value = 0;
  for (std::size_t r = 0; r < of_ranks.size(); ++r) {
    const double from_middle = static_cast<double>(r) - middle;
    product += from_middle * (of_ranks[r] - mean);
    of_rank += square(from_middle);
    of_value += square(of_ranks[r] - mean);
  }
  return of_value > 0 ? product / std::sqrt(of_rank * of_value) : 0;
}

/// If each process waits for a message of the one before it, which waits in turn, the time in
/// messages grows in proportion to the rank. The share of the variance of this time that the rank
/// explains, at the process count at which it explains least. 0 if the time falls with the rank: in
/// recorded programs, that was no sign of a chain that begins at the last rank.
double chain_share(const Experiment& e, const std::vector<FitPoint>& points) {
  double least = 1;
  for (const FitPoint& point : points) {
    std::vector<double> correlations;
    for (const ExperimentPoint& p : e.points) {
      if (p.procs != point.procs) continue;
      for (const std::size_t r : p.runs)
        correlations.push_back(correlation_with_rank(e.runs[r].times.mpi_p2p_s.per_rank));
    }
    least = std::min(least, median(correlations));
  }
  return square(std::max(least, 0.0));
}

/// The logarithm of what the excess at one process count says about the factor of the trend. If one
/// process works alone for a time S, it exceeds the mean by S (1 - 1/P).
double ln_factor(double procs, const Excess& excess, const Trend& trend) {
  return std::log(excess.seconds) - trend.of_computation * std::log(excess.mean_s) -
         (trend.of_computation == 0 ? std::log(1 - 1 / procs) : 0);
}

/// The law of the excess beyond the points, multiplied by P, because laws of counts are sums over
/// all ranks. The excess at a single process count may be large or small by chance, so the factor
/// of the trend is halfway (as a geometric mean) between those of the largest process count and of
/// all process counts.
Hypothesis beyond(const std::map<double, Excess>& excesses, const Trend& trend, double falls) {
  double ln_mean_factor = 0;
  for (const auto& [procs, excess] : excesses)
    ln_mean_factor += ln_factor(procs, excess, trend) / static_cast<double>(excesses.size());
  const auto& [procs, last] = *excesses.rbegin();
  const double factor = std::exp(0.5 * (ln_factor(procs, last, trend) + ln_mean_factor));
  Hypothesis law;
  if (trend.of_computation == 0) {
    law.terms = {{.coefficient = factor, .p_exponent = 1}, {.coefficient = -factor}};
  } else {
    const double exponent = falls * trend.of_computation;
    const double last_s = factor * std::pow(last.mean_s, trend.of_computation);
    law.terms = {{.coefficient = last_s * std::pow(procs, exponent), .p_exponent = 1 - exponent}};
  }
  return law;
}

Feature feature(const char* name, const char* unit, const char* of, Hypothesis law,
                double of_size) {
  Feature f;
  f.name = name;
  f.unit = unit;
  f.of = of;
  f.counts = {std::move(law)};
  f.size_exponent = of_size;  // if only one size was profiled
  return f;
}

}  // namespace

std::vector<CountFamily> wait_families(const Experiment& e, const std::vector<FitPoint>& points) {
  if (!mechanisms().wait_causes || points.empty()) return {};
  for (const FitPoint& p : points)
    if (p.work != points.front().work || p.procs <= 1) return {};
  const std::map<double, Excess> excesses = excesses_of(e, points);
  if (excesses.size() < 2) return {};
  const auto& [last_procs, last] = *excesses.rbegin();
  const auto& [procs_before, before] = *std::next(excesses.rbegin());
  const double ln_procs = std::log(last_procs / procs_before);
  const double falls = std::clamp(std::log(before.mean_s / last.mean_s) / ln_procs, 0.0, kSteepest);
  const double grew = std::log(last.relative() / before.relative()) / ln_procs;
  std::vector<CountFamily> families;
  double sum = 0;
  for (const Delays& delay : kinds_of_delays(chain_share(e, points))) {
    if (delay.prior == 0) continue;
    for (const Trend& trend : kTrends) {
      CountFamily& family = families.emplace_back();
      family.name = trend.name;
      Feature excess = feature("excess", "s/s", "what the busiest process computes beyond the mean",
                               beyond(excesses, trend, falls), trend.of_size);
      excess.expected = {1, kCostSd};
      const double exponent = delay.of_procs - falls * delay.of_computation;
      Hypothesis law;
      law.terms = {{.coefficient = std::pow(last_procs, -exponent), .p_exponent = 1 + exponent}};
      Feature delays = feature("delays", "s", delay.of, law, delay.of_size);
      for (const FitPoint& p : points) {
        const Excess& here = excesses.at(p.procs);
        excess.seen.push_back(here.seconds);
        delays.seen.push_back(std::pow(p.procs / last_procs, delay.of_procs) *
                              std::pow(here.mean_s / last.mean_s, delay.of_computation));
      }
      family.features = {std::move(excess), std::move(delays)};
      // The tails of the Cauchy distribution are long: in real programs, the growth between two
      // process counts is often far from that of the trend that the larger ones show.
      const double expected = falls * (1 - trend.of_computation);
      sum += family.prior = delay.prior / (1 + square((grew - expected) / kSlopeScale));
    }
  }
  for (CountFamily& f : families) f.prior /= sum;
  return families;
}

}  // namespace apmt
