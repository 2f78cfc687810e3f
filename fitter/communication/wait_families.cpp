#include "fitter/communication/wait_families.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>

#include "base/square.h"
#include "fitter/mechanisms.h"
#include "fitter/prior_data.h"
#include "fitter/runs/run_parts.h"
#include "fitter/runs/spread.h"

namespace apmt {
namespace {

constexpr double kMostChance = 4;  // factor by which an excess may differ from its trend by chance
constexpr double kSteepest = 1.2;  // computation falls no faster: as 1/P, or a little more

/// `waiting` of configs/priors.yaml, which explains these numbers.
struct WaitPriors {
  const Json& data = prior_data().at("waiting");
  double ln_cost_sd = data.at("ln_cost_sd");
  double growth_scale = data.at("growth_scale");
  double given_away_sd = data.at("given_away_sd");
  double excess_sd = data.at("excess_sd");
};

const WaitPriors& wait_priors() {
  static const WaitPriors priors;
  return priors;
}

/// What the runs with one process count show: medians.
struct Shown {
  double mean_s = 0;            // outside MPI, over the ranks
  double excess_s = 0;          // by which the longest rank exceeds the mean
  std::optional<double> chain;  // how well a chain describes the waiting
  double relative() const { return excess_s / mean_s; }
};

/// By process count. Runs with the same process count but different layouts are taken together.
/// Empty if the runs at one of the process counts of the points show no excess.
std::map<double, Shown> shown_by_runs(const Experiment& e, const std::vector<FitPoint>& points) {
  std::map<double, Shown> by_procs;
  for (const FitPoint& point : points) {
    std::vector<double> means_s, excesses_s, chains;
    for (const ExperimentPoint& p : e.points) {
      if (p.procs != point.procs || !p.parts.comm_wait_s) continue;
      for (const std::size_t r : p.runs) {
        const RankTimes& t = e.runs[r].times;
        means_s.push_back(t.main_s.mean() - t.mpi_s.mean());
        // Until the rank's own end, not the mean end as in waiting_of(): predictions were better.
        excesses_s.push_back(excess_outside_mpi_s(t));
        if (const auto chain = chain_share(t.mpi_p2p_s.per_rank, point.value))
          chains.push_back(*chain);
      }
    }
    if (means_s.empty()) return {};
    Shown shown{.mean_s = median(means_s), .excess_s = median(excesses_s), .chain = {}};
    if (!(shown.excess_s > 0 && shown.mean_s > 0)) return {};
    if (!chains.empty()) shown.chain = median(chains);
    by_procs[point.procs] = shown;
  }
  return by_procs;
}

/// How well a chain describes the waiting at the process count where it fits worst; 0 if no process
/// count has enough ranks to tell.
double least_chain(const std::map<double, Shown>& by_procs) {
  std::optional<double> least;
  for (const auto& [procs, shown] : by_procs)
    if (shown.chain) least = std::min(least.value_or(1), *shown.chain);
  return least.value_or(0);
}

struct Trend {
  const char* name;
  double of_computation;  // with more processes, the excess falls as this power of the compute time
  double of_size;         // with a larger problem, it grows as this power of the compute time
  double given_away = 0;  // b: at P processes, the excess is multiplied by 1 - b/P
  double of_others(double procs) const { return 1 - given_away / procs; }
};

/// The number b in S (1 - b/P), the excess of a process that works alone for a time S. It is 1 if
/// the process otherwise does as much as all others, or if no b describes the excess. It is larger
/// if the process passes other work on as P grows, as in a tree.
double given_away(const std::map<double, Shown>& by_procs) {
  constexpr double kUsual = 1, kMost = 2.5, kStep = 0.1;
  const auto count = static_cast<double>(by_procs.size());
  double best = kUsual, least = INFINITY;
  for (double b = 0; b <= kMost && b < by_procs.begin()->first - 0.5; b += kStep) {
    double sum = 0, squares = 0;  // of ln S
    for (const auto& [procs, shown] : by_procs) {
      const double ln_s = std::log(shown.excess_s / (1 - b / procs));
      sum += ln_s;
      squares += square(ln_s);
    }
    const double chi2 = (squares - square(sum) / count) / square(wait_priors().excess_sd);
    const double miss = chi2 + square((b - kUsual) / wait_priors().given_away_sd);
    if (chi2 > count - 1 || miss >= least) continue;
    least = miss;
    best = b;
  }
  return best;
}

/// What costs time beside the excess (wait_families.h): delays, a chain, or ending MPI.
struct OtherCost {
  const char* of;
  double of_procs;        // the cost grows as this power of the process count
  double of_computation;  // as in Trend
  double of_size;
  double prior;
};

/// The law of the excess beyond the points, multiplied by P, because laws of counts are sums over
/// all ranks. The factor of the trend is the geometric mean over all process counts, because the
/// excess at one may be unusual by chance (by at most kMostChance). What exceeds the trend at the
/// largest count falls beyond it as the trend times 1/P; an excess below it does not grow.
Hypothesis beyond(const std::map<double, Shown>& by_procs, const Trend& trend, double falls) {
  const auto& [last_procs, last] = *by_procs.rbegin();
  // The logarithm of the factor by which the trend is multiplied to give the excess.
  const auto ln_factor = [&](double procs, const Shown& shown) {
    return std::log(shown.excess_s / trend.of_others(procs)) -
           trend.of_computation * std::log(shown.mean_s);
  };
  const double ln_last = ln_factor(last_procs, last);
  double ln_lasting = 0;
  for (const auto& [procs, shown] : by_procs)
    ln_lasting += std::clamp(ln_factor(procs, shown) - ln_last, -std::log(kMostChance),
                             std::log(kMostChance)) /
                  static_cast<double>(by_procs.size());
  // The share of the excess that is not chance.
  const double lasting = std::min(std::exp(ln_lasting), 1.0);
  const double exponent = falls * trend.of_computation;
  const double last_s = last.excess_s / trend.of_others(last_procs);
  Hypothesis law;
  for (const auto& [share, falls_more] : {std::pair(lasting, 0.0), {1 - lasting, 1.0}}) {
    const double coefficient = share * last_s * std::pow(last_procs, exponent + falls_more);
    law.terms.push_back({.coefficient = coefficient, .p_exponent = 1 - exponent - falls_more});
    if (trend.given_away > 0)
      law.terms.push_back(
          {.coefficient = -trend.given_away * coefficient, .p_exponent = -exponent - falls_more});
  }
  return law;
}

/// A family for each combination of a trend of the excess with one of the other costs. `chains`:
/// whether waiting along a chain is one of them. Empty if at any point the time is less than
/// `least_share` of the excess.
std::vector<CountFamily> families_of_excess(const Experiment& e,
                                            const std::vector<FitPoint>& points,
                                            std::vector<OtherCost> others, bool chains,
                                            double least_share) {
  if (!mechanisms().wait_causes || points.empty()) return {};
  for (const FitPoint& p : points)
    if (p.work != points.front().work || p.procs <= 1) return {};
  const std::map<double, Shown> by_procs = shown_by_runs(e, points);
  if (by_procs.size() < 2) return {};
  for (const FitPoint& p : points)
    if (p.value < least_share * by_procs.at(p.procs).excess_s) return {};
  const auto& [last_procs, last] = *by_procs.rbegin();
  const auto& [procs_before, before] = *std::next(by_procs.rbegin());
  const double ln_procs = std::log(last_procs / procs_before);
  const double falls = std::clamp(std::log(before.mean_s / last.mean_s) / ln_procs, 0.0, kSteepest);
  const double grew = std::log(last.relative() / before.relative()) / ln_procs;
  const Trend trends[] = {{"uneven shares of the problem", 1, 1},
                          {"random shares of the problem", 0.5, 0.5},
                          {"work that it does alone", 0, 1, given_away(by_procs)}};
  if (chains)
    others.push_back({"waiting along a chain of processes", 1, 0, 0, least_chain(by_procs)});
  std::vector<CountFamily> list;
  double sum = 0;
  for (const OtherCost& other : others) {
    if (other.prior == 0) continue;
    for (const Trend& trend : trends) {
      CountFamily& family = list.emplace_back();
      family.name = trend.name;
      Feature excess{.name = "excess",
                     .unit = "s/s",
                     .of = "what the busiest process computes beyond the mean",
                     .steps = Feature::Steps::kOthers,
                     .counts = {beyond(by_procs, trend, falls)},
                     .size_exponent = trend.of_size,
                     .expected = Feature::Expected{1, wait_priors().ln_cost_sd}};
      const double exponent = other.of_procs - falls * other.of_computation;
      const LawTerm term{.coefficient = std::pow(last_procs, -exponent),
                         .p_exponent = 1 + exponent};
      Feature delays{.name = "delays",
                     .unit = "s",
                     .of = other.of,
                     .counts = {{.terms = {term}}},
                     .size_exponent = other.of_size};
      for (const FitPoint& p : points) {
        const Shown& here = by_procs.at(p.procs);
        excess.seen.push_back(here.excess_s);
        delays.seen.push_back(std::pow(p.procs / last_procs, other.of_procs) *
                              std::pow(here.mean_s / last.mean_s, other.of_computation));
      }
      family.features = {std::move(excess), std::move(delays)};
      // The tails of the Cauchy distribution are long: in real programs, the growth between two
      // process counts is often far from the trend at larger counts.
      const double expected =
          falls * (1 - trend.of_computation) +
          std::log(trend.of_others(last_procs) / trend.of_others(procs_before)) / ln_procs;
      sum += family.prior =
          other.prior / (1 + square((grew - expected) / wait_priors().growth_scale));
    }
  }
  for (CountFamily& f : list) f.prior /= sum;
  return list;
}

}  // namespace

std::vector<CountFamily> wait_families(const Experiment& e, const std::vector<FitPoint>& points) {
  return families_of_excess(
      e, points, {{"random delays", 0, 0, 1, 0.5}, {"random delays", 0, 0.5, 0.5, 0.5}}, true, 0);
}

std::vector<CountFamily> end_families(const Experiment& e, const std::vector<FitPoint>& points) {
  // If the end is shorter than the excess by far more than the prior of the cost allows, the
  // processes have waited before.
  constexpr double kMostSds = 3;
  return families_of_excess(e, points, {{"ending MPI", 0, 0, 0, 1}}, false,
                            std::exp(-kMostSds * wait_priors().ln_cost_sd));
}

std::optional<double> chain_share(const std::vector<double>& messages_s, double waiting_s) {
  constexpr std::size_t kFewestRanks = 4;
  if (messages_s.size() < kFewestRanks) return std::nullopt;
  const double ranks = static_cast<double>(messages_s.size());
  double mean_s = 0;
  for (const double seconds : messages_s) mean_s += seconds / ranks;
  double rank_time = 0, rank_rank = 0, time_time = 0;  // sums of products of deviations
  for (std::size_t r = 0; r < messages_s.size(); ++r) {
    const double rank = static_cast<double>(r) - (ranks - 1) / 2;
    const double seconds = messages_s[r] - mean_s;
    rank_time += rank * seconds;
    rank_rank += square(rank);
    time_time += square(seconds);
  }
  if (rank_time == 0 || waiting_s <= 0) return 0;
  const double unexplained = 1 - square(rank_time) / (rank_rank * time_time);
  const double share = 1 - unexplained * (ranks - 1) / (ranks - 2);
  // At the end of the chain, the ranks often wait for the last one in a collective. In all, every
  // rank then waits as long as the last one waits for messages.
  const double longest_s = std::abs(rank_time) / rank_rank * (ranks - 1);
  return std::clamp(share, 0.0, 1.0) * std::min(longest_s / waiting_s, 1.0);
}

double chain_share_at(const Experiment& e, const ExperimentPoint& point) {
  if (!point.parts.comm_wait_s) return 0;
  std::vector<double> shares;
  for (const std::size_t r : point.runs)
    if (const auto share =
            chain_share(e.runs[r].times.mpi_p2p_s.per_rank, point.parts.comm_wait_s->value))
      shares.push_back(*share);
  return shares.empty() ? 0 : median(shares);
}

}  // namespace apmt
