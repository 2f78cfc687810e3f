// Tests of the causes of waiting: an uneven division of the work, random delays, and chains.
#include "fitter/communication/wait_families.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "fitter/fit/fit.h"
#include "fitter/mechanisms.h"
#include "fitter/prediction/prediction.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

using synthetic::PlantedRun;

/// A run in which rank 0 computes `excess_s` longer than the mean. All ranks wait for it in
/// collectives, and `delays_s` for random delays.
RunProfile uneven_run(int procs, double mean_s, double excess_s, double delays_s,
                      const std::map<std::string, double>& params = {}) {
  PlantedRun planted;
  planted.procs = procs;
  planted.params = params;
  planted.kernel_s = {{"work", mean_s}};
  planted.ops = {{"MPI_Allreduce", "collective", 4.0 * procs, 32.0 * procs}};
  planted.coll_s = excess_s + delays_s + 1e-3;
  RunProfile run = profile(planted);
  std::vector<std::uint64_t>& samples = run.kernels.front().counters["cpu_s"].samples;
  for (std::size_t r = 0; r < samples.size(); ++r) {
    const double more_s = r == 0 ? excess_s : -excess_s / (procs - 1);
    samples[r] = static_cast<std::uint64_t>(std::llround((mean_s + more_s) * 1e9));
    run.times.mpi_s.per_rank[r] -= more_s;
    run.times.mpi_coll_s.per_rank[r] -= more_s;
  }
  run.communication.coll_wait_s = excess_s + delays_s;
  run.communication.coll_wait_coverage = 1;
  return run;
}

Model model_of(std::vector<RunProfile> runs) {
  return fit(make_experiment(std::move(runs)), synthetic::fit_options());
}

const std::vector<CountFamily>& families_of(const Model& model) {
  for (const CommModel& comm : model.comm)
    if (comm.part == "wait") return comm.law->families;
  throw std::runtime_error("no law of waiting");
}

/// A problem with dense places: the smaller its pieces, the more uniform is each. So the relative
/// excess approaches that of the densest place.
TEST(WaitFamilies, UnevenSharesOfTheProblemShrinkWithComputation) {
  const auto run_at = [](int p, double relative) {
    return uneven_run(p, 40.0 / p, relative * 40.0 / p, 0.2);
  };
  const std::vector<RunProfile> runs = {run_at(4, 0.15), run_at(8, 0.27), run_at(16, 0.285)};
  const double truth = 0.286 * 40 / 128 + 0.2;
  const Prediction p = predict(model_of(runs), {.procs = 128, .params = {}, .scaling = {}});
  EXPECT_NEAR(p.parts.comm_wait->time_s, truth, 0.1 * truth);
  Mechanisms without;
  without.wait_causes = false;
  const WithMechanisms in_force(without);
  const Prediction curves = predict(model_of(runs), {.procs = 128, .params = {}, .scaling = {}});
  EXPECT_GT(curves.parts.comm_wait->time_s, 1.3 * truth);
}

TEST(WaitFamilies, WorkOfOneProcessStaysAsLong) {
  const auto run_at = [](int p) { return uneven_run(p, 40.0 / p + 0.1, 0.8 * (1 - 1.0 / p), 0); };
  const Model model = model_of({run_at(4), run_at(8), run_at(16)});
  const Prediction p = predict(model, {.procs = 128, .params = {}, .scaling = {}});
  EXPECT_NEAR(p.parts.comm_wait->time_s, 0.8, 0.08);
}

/// A process with half as much work again. Its relative excess grows with P, which no trend does,
/// so the trends hold only beyond the largest profiled count.
TEST(WaitFamilies, AtProfiledCountsTheExcessIsTheMeasuredOne) {
  const auto excess_s = [](double p) { return 20 / p * (1 - 1 / p); };
  std::vector<RunProfile> runs;
  for (const int p : {4, 8, 16})
    runs.push_back(uneven_run(p, 40.0 / p + 20.0 / p / p, excess_s(p), 0));
  const Model model = model_of(runs);
  for (const int p : {4, 6, 8, 16}) {
    const Prediction at = predict(model, {.procs = p, .params = {}, .scaling = {}});
    EXPECT_NEAR(at.parts.comm_wait->time_s / excess_s(p), 1, 0.06) << p;
  }
}

/// A tree: with twice as many processes, process 0 no longer does what another one can do, but it
/// still does the last step alone. Its time hardly changes, while the mean halves.
TEST(WaitFamilies, TheLongestProcessOfATreeStaysAsLong) {
  const auto run_at = [](int p) { return uneven_run(p, 4.0 / p, 2 - 4.0 / p, 0); };
  const Model model = model_of({run_at(4), run_at(8), run_at(16)});
  const Prediction p = predict(model, {.procs = 128, .params = {}, .scaling = {}});
  const double truth = 2 - 4.0 / 128;
  EXPECT_NEAR(p.parts.comm_wait->time_s, truth, 0.03 * truth);
}

/// How the relative excess grew from the second largest process count to the largest decides which
/// trend is likeliest.
TEST(WaitFamilies, TheTrendFollowsFromTheRelativeExcess) {
  const auto likeliest = [](double before, double last) {
    const Experiment e = make_experiment({uneven_run(4, 10, 2, 0), uneven_run(8, 5, 5 * before, 0),
                                          uneven_run(16, 2.5, 2.5 * last, 0)});
    std::vector<FitPoint> points;
    for (const int p : {4, 8, 16}) points.push_back({.procs = double(p), .work = 1, .value = 1});
    const std::vector<CountFamily> families = wait_families(e, points);
    return std::max_element(families.begin(), families.end(),
                            [](const auto& a, const auto& b) { return a.prior < b.prior; })
        ->name;
  };
  EXPECT_EQ(likeliest(0.2, 0.2), "uneven shares of the problem");
  EXPECT_EQ(likeliest(0.2, 0.15), "uneven shares of the problem");
  EXPECT_EQ(likeliest(0.2, 0.2 * std::sqrt(2)), "random shares of the problem");
  EXPECT_EQ(likeliest(0.2, 0.4), "work that it does alone");
  EXPECT_EQ(likeliest(0.01, 0.9), "work that it does alone");
}

/// What one process does alone may be unusually long at the largest process count. On more
/// processes, only the unusual part of this time falls, as 1/P.
TEST(WaitFamilies, AnUnusualExcessIsNotExpectedToStay) {
  constexpr double kAlone_s = 0.4;
  const auto alone_s = [](double unusual) {
    const auto run_at = [](int p, double seconds) {
      return uneven_run(p, 40.0 / p, seconds * (1 - 1.0 / p), 0);
    };
    const Experiment e =
        make_experiment({run_at(4, kAlone_s), run_at(8, kAlone_s), run_at(16, unusual * kAlone_s)});
    for (const CountFamily& family : wait_families(e, {{.procs = 4, .work = 1, .value = 0.3},
                                                       {.procs = 8, .work = 1, .value = 0.35},
                                                       {.procs = 16, .work = 1, .value = 1}}))
      if (family.name == "work that it does alone") {
        const Feature& excess = family.features[0];
        EXPECT_NEAR(excess.per_rank(16, 1), excess.seen.back(), 1e-9);
        return excess.per_rank(128, 1) / (1 - 1.0 / 128);
      }
    throw std::runtime_error("no family of work that one process does alone");
  };
  const double usual_s =
      std::cbrt(3) * kAlone_s;  // the geometric mean of 1, 1 and 3 times kAlone_s
  EXPECT_NEAR(alone_s(3), usual_s + (3 * kAlone_s - usual_s) / 8, 1e-6);
  EXPECT_NEAR(alone_s(100), 100 * std::pow(4, -2.0 / 3) * kAlone_s * 7 / 8 + 100 * kAlone_s / 8,
              1e-6);  // the others differ by a factor of 4 at most
  EXPECT_NEAR(alone_s(1), kAlone_s, 1e-6);
  EXPECT_NEAR(alone_s(0.5), 0.5 * kAlone_s, 1e-6);  // one that is unusually small stays
}

/// An excess that grew far faster than any of the trends does not prove one of them.
TEST(WaitFamilies, AnUnusualGrowthProvesNoTrend) {
  const Experiment e = make_experiment(
      {uneven_run(4, 10, 0.1, 0), uneven_run(8, 5, 0.05, 0), uneven_run(16, 2.5, 2.2, 0)});
  const std::vector<CountFamily> families =
      wait_families(e, {{.procs = 4, .work = 1, .value = 0.1},
                        {.procs = 8, .work = 1, .value = 0.1},
                        {.procs = 16, .work = 1, .value = 2}});
  ASSERT_EQ(families.size(), 6u);
  for (const CountFamily& family : families) EXPECT_GT(family.prior, 0.1) << family.name;
}

/// Frequent short delays: only the differences between processes cost time, and these fall as the
/// square root of the computation.
TEST(WaitFamilies, FrequentDelaysFallAsTheRootOfComputation) {
  const auto run_at = [](int p) { return uneven_run(p, 40.0 / p, 0.01 / p, 0.4 / std::sqrt(p)); };
  const Model model = model_of({run_at(4), run_at(8), run_at(16)});
  const Prediction p = predict(model, {.procs = 128, .params = {}, .scaling = {}});
  EXPECT_NEAR(p.parts.comm_wait->time_s, 0.4 / std::sqrt(128), 0.2 * 0.4 / std::sqrt(128));
  double frequent = 0, rare = 0;  // posterior shares
  for (const CountFamily& family : families_of(model))
    (family.features[1].seen.front() > 1 ? frequent : rare) += family.posterior;
  EXPECT_GT(frequent, 3 * rare);
}

/// Waiting along a chain: rank r waits for r messages, and then for the last rank in a collective.
/// In all, each rank waits for 80 ms on 4 ranks, and for 320 ms on 16. The run has no rows of
/// messages, so only the waiting in the collective (on average half of all) is known to be waiting.
/// `is_chain` false: each rank waits as long, but in collectives only.
RunProfile chain_run(int procs, double excess_s, bool is_chain) {
  const double waiting_s = 0.02 * procs;
  RunProfile run = uneven_run(procs, 40.0 / procs, excess_s, waiting_s);
  for (int r = 0; is_chain && r < procs; ++r) {
    const double in_messages_s = waiting_s * r / (procs - 1);
    run.times.mpi_p2p_s.per_rank[r] += in_messages_s;
    run.times.mpi_coll_s.per_rank[r] -= in_messages_s;
  }
  return run;
}

/// In a chain, each process waits for the one before it, so waiting grows with the processes. Here,
/// the excess is irregular, so the growth could not be seen without the chain.
TEST(WaitFamilies, WaitingAlongAChainGrowsWithTheProcesses) {
  const auto waits_s = [](bool is_chain) {
    const Model model = model_of(
        {chain_run(4, 0.4, is_chain), chain_run(8, 0.1, is_chain), chain_run(16, 0.2, is_chain)});
    return predict(model, {.procs = 128, .params = {}, .scaling = {}}).parts.comm_wait->time_s;
  };
  const double truth_s = 0.02 * 128;
  EXPECT_NEAR(waits_s(true), truth_s / 2, 0.2 * truth_s / 2);
  EXPECT_LT(waits_s(false), 0.8 * truth_s);
}

TEST(WaitFamilies, AChainMustShowAtEveryProcessCount) {
  const auto prior_of_chains = [](const std::vector<bool>& is_chain) {
    std::vector<RunProfile> runs;
    std::vector<FitPoint> points;
    for (std::size_t i = 0; i < is_chain.size(); ++i) {
      const int procs = 4 << i;
      runs.push_back(chain_run(procs, 0.4 / procs, is_chain[i]));
      points.push_back({.procs = double(procs), .work = 1, .value = 0.02 * procs});
    }
    double sum = 0;
    for (const CountFamily& family : wait_families(make_experiment(runs), points)) {
      const Feature& delays = family.features[1];
      if (delays.of != "waiting along a chain of processes") continue;
      sum += family.prior;
      EXPECT_EQ(delays.size_exponent, 0);
      EXPECT_NEAR(delays.per_rank(128, 1), 128.0 / (2 << is_chain.size()), 1e-9);
    }
    return sum;
  };
  EXPECT_NEAR(prior_of_chains({true, true, true}), 0.5, 1e-6);
  EXPECT_EQ(prior_of_chains({true, false, true}), 0);
}

TEST(WaitChain, IsNotedAtEachPointOfTheModel) {
  const auto shares = [](bool is_chain) {
    const Model model = model_from_json(
        to_json(model_of({chain_run(4, 1e-4, is_chain), chain_run(8, 1e-4, is_chain)})),
        "model.json");
    return std::pair(model.points.front().wait_chain, model.points.back().wait_chain);
  };
  EXPECT_NEAR(shares(true).first, 1, 0.01);
  EXPECT_NEAR(shares(true).second, 1, 0.01);
  EXPECT_NEAR(shares(false).second, 0, 1e-6);
}

TEST(WaitChain, IsTimeInMessagesThatGrowsAlongTheRanks) {
  EXPECT_NEAR(*chain_share({0, 1, 2, 3, 4}, 4), 1, 1e-12);
  EXPECT_NEAR(*chain_share({0, 1, 2, 3, 4}, 2), 1, 1e-12);      // nobody waits for the last one
  EXPECT_NEAR(*chain_share({0, 1, 2, 3, 4}, 16), 0.25, 1e-12);  // most of the waiting is elsewhere
  EXPECT_NEAR(*chain_share({4, 3, 2, 1, 0}, 4), 1, 1e-12);
  EXPECT_EQ(*chain_share({2, 2, 2, 2, 2}, 4), 0);
  EXPECT_EQ(*chain_share({0, 1, 2, 3, 4}, 0), 0);
  EXPECT_FALSE(chain_share({0, 1, 2}, 2));
}

/// The time in messages may grow with the rank by chance, or because a single process differs.
/// Neither is a chain.
TEST(WaitChain, ChanceAndALoneProcessAreNone) {
  EXPECT_EQ(*chain_share({1, 0, 2, 0, 1, 1}, 1), 0);
  std::vector<double> messages_s(16, 1);
  messages_s.front() = 0;
  EXPECT_LT(*chain_share(messages_s, 1), 0.05);
}

/// A run without messages, in which rank 0 computes `excess_s` longer than the mean. The others
/// wait for it in MPI_Finalize.
RunProfile run_that_waits_at_its_end(int procs, double mean_s, double excess_s) {
  PlantedRun planted;
  planted.procs = procs;
  planted.kernel_s = {{"work", mean_s}};
  planted.ops = {{"MPI_Bcast", "rooted", 1.0 * procs, 8.0 * procs}};
  planted.coll_s = 1e-4;
  RunProfile run = profile(planted);
  std::vector<std::uint64_t>& samples = run.kernels.front().counters["cpu_s"].samples;
  for (std::size_t r = 0; r < samples.size(); ++r) {
    const double more_s = r == 0 ? excess_s : -excess_s / (procs - 1);
    samples[r] = static_cast<std::uint64_t>(std::llround((mean_s + more_s) * 1e9));
    for (Column* column : {&run.times.main_s, &run.times.main_cpu_s, &run.times.sampled_cpu_s})
      column->per_rank[r] += more_s;
    run.times.finalize_s.per_rank[r] += excess_s - more_s;
    run.times.wall_s.per_rank[r] += excess_s;
  }
  return run;
}

/// A problem whose parts are uneven, in a program that does not synchronise before its end.
TEST(WaitFamilies, WaitingAtTheEndShrinksWithComputation) {
  const auto run_at = [](int p, double relative) {
    return run_that_waits_at_its_end(p, 40.0 / p, relative * 40.0 / p);
  };
  const std::vector<RunProfile> runs = {run_at(4, 0.15), run_at(8, 0.27), run_at(16, 0.285)};
  const Model model = model_of(runs);
  double probability = 0;
  for (const CountFamily& family : model.end.law->families) probability += family.posterior;
  EXPECT_GT(probability, 0.9);
  const Prediction p = predict(model, {.procs = 128, .params = {}, .scaling = {}});
  const double truth = 0.286 * 40 / 128 + 0.05;
  EXPECT_NEAR(p.parts.end->time_s, truth, 0.15 * truth);
  WhatIf fast_cores;
  fast_cores.of(Knob::kFrequency) = {KnobChange::Kind::kFactor, 2};
  const auto end_s = [&](const WhatIf& what_if) {
    return predict(model, {.procs = 16, .params = {}, .scaling = {}, .what_if = what_if})
        .parts.end->time_s;
  };
  const double excess = 0.285 * 40 / 16;  // twice as fast cores halve it, and not the constant
  EXPECT_NEAR(end_s(fast_cores) / end_s({}), 1 - excess / (excess + 0.05) / 2, 0.03);
  Mechanisms without;
  without.wait_causes = false;
  const WithMechanisms in_force(without);
  const Prediction curves = predict(model_of(runs), {.procs = 128, .params = {}, .scaling = {}});
  EXPECT_GT(curves.parts.end->time_s, 2 * truth);
}

/// With one process nobody waits; this point gives the law of the end no excess.
TEST(WaitFamilies, WaitingAtTheEndBeginsWithTwoProcesses) {
  const auto run_at = [](int p) {
    return run_that_waits_at_its_end(p, 40.0 / p, p > 1 ? 12.0 / p : 0);
  };
  const Model model = model_of({run_at(1), run_at(2), run_at(4), run_at(8)});
  EXPECT_EQ(model.end.points.size(), 4U);
  EXPECT_EQ(model.end.law->points.size(), 3U);
  EXPECT_FALSE(model.end.law->families.empty());
  const Prediction alone = predict(model, {.procs = 1, .params = {}, .scaling = {}});
  EXPECT_NEAR(alone.parts.end->time_s, 0.05, 0.03);
  EXPECT_THAT(model.warnings, testing::Not(testing::Contains(testing::HasSubstr("do not fit"))));
}

/// With a problem of four times the size, the waiting that rare delays cause is four times as long,
/// but the waiting that frequent delays cause is only twice as long.
TEST(WaitFamilies, GrowWithTheSizeByTheirCause) {
  const auto run_at = [](int p) { return uneven_run(p, 40.0 / p, 2.0 / p, 0.1); };
  const Experiment e = make_experiment({run_at(4), run_at(8)});
  const std::vector<CountFamily> families = wait_families(
      e, {{.procs = 4, .work = 1, .value = 0.6}, {.procs = 8, .work = 1, .value = 0.35}});
  ASSERT_EQ(families.size(), 6u);
  for (const CountFamily& family : families) {
    const Feature& excess = family.features[0];
    const Feature& delays = family.features[1];
    EXPECT_EQ(excess.size_exponent, family.name == "random shares of the problem" ? 0.5 : 1);
    const bool is_rare = delays.seen == std::vector<double>{1, 1};
    EXPECT_EQ(delays.size_exponent, is_rare ? 1 : 0.5);
    EXPECT_NEAR(delays.per_rank(32, 1), is_rare ? 1 : 0.5, 1e-9);
  }
}

/// If the work is divided unevenly, what the busiest rank computes beyond the mean falls only as
/// far as computation does.
TEST(WaitFamilies, AnExcessStaysWithTheComputation) {
  const Model model =
      model_of({uneven_run(4, 10, 2, 0), uneven_run(8, 10, 2, 0), uneven_run(16, 10, 2, 0)});
  const Prediction p = predict(model, {.procs = 128, .params = {}, .scaling = {}});
  EXPECT_NEAR(p.parts.comm_wait->time_s, 2, 0.2);
}

TEST(WaitFamilies, RunsInSeveralLayoutsCountTogether) {
  const auto in_layout = [](int nodes, RunProfile run) {
    for (int n = 1; n < nodes; ++n) run.hosts.push_back(run.hosts.front());
    for (std::size_t r = 0; r < run.host_of_rank.size(); ++r)
      run.host_of_rank[r] = static_cast<int>(r) % nodes;
    run.config.max_ranks_per_node = run.config.procs / nodes;
    return run;
  };
  const Experiment e = make_experiment({in_layout(1, uneven_run(4, 10, 2, 0)),
                                        in_layout(2, uneven_run(4, 10, 2.2, 0)),
                                        in_layout(1, uneven_run(8, 5, 1, 0))});
  ASSERT_EQ(e.points.size(), 3u);
  const std::vector<CountFamily> families = wait_families(e, {{.procs = 4, .work = 1, .value = 2},
                                                              {.procs = 4, .work = 1, .value = 2.2},
                                                              {.procs = 8, .work = 1, .value = 1}});
  ASSERT_FALSE(families.empty());
  const std::vector<double>& seen = families.front().features.front().seen;
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_NEAR(seen[0], 2.1, 1e-6);
  EXPECT_NEAR(seen[1], 2.1, 1e-6);
  EXPECT_NEAR(seen[2], 1, 1e-6);
}

TEST(WaitFamilies, AreNotUsedWithoutAnExcessOrWithSeveralSizes) {
  const Model even =
      model_of({uneven_run(4, 10, 0, 0.1), uneven_run(8, 5, 0, 0.1), uneven_run(16, 2.5, 0, 0.1)});
  EXPECT_THAT(families_of(even), ::testing::IsEmpty());
  const Model sizes = model_of(
      {uneven_run(4, 10, 2, 0.1, {{"n", 10}}), uneven_run(8, 5, 1, 0.1, {{"n", 10}}),
       uneven_run(16, 2.5, 0.5, 0.1, {{"n", 10}}), uneven_run(16, 5, 1, 0.1, {{"n", 20}})});
  EXPECT_THAT(families_of(sizes), ::testing::IsEmpty());
}

}  // namespace
}  // namespace apmt
