// Tests of fitting planted programs (programs that never ran, with known costs): the fit must find
// these costs, and a model that is written and read must be unchanged.
#include "fitter/model/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <random>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "base/temporary_folder.h"
#include "fitter/fit/fit.h"
#include "fitter/prediction/prediction.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

using synthetic::fit_runs;
using synthetic::halo_run;
using synthetic::PlantedRun;
using testing::Contains;
using testing::HasSubstr;

double total(const PlantedRun& run) {
  double sum = run.p2p_s + run.coll_s + run.other_s + run.off_cpu_s + run.others_s;
  for (const auto& [name, s] : run.kernel_s) sum += s;
  return sum;
}

std::vector<PlantedRun> halo_campaign(const std::vector<int>& counts = {2, 4, 8}) {
  std::vector<PlantedRun> runs;
  for (const int p : counts) runs.push_back(halo_run(p));
  return runs;
}

TEST(Model, NoiseFreeProgramIsPredictedWithinOnePercent) {
  const Model model = fit_runs(halo_campaign());
  const Predictor predictor(model);
  for (const int p : {16, 64, 256}) {
    const Prediction prediction = predictor.predict({.procs = p, .params = {}, .scaling = {}});
    const double truth = total(halo_run(p));
    EXPECT_NEAR(prediction.time.time_s / truth, 1, 0.01) << p;
    EXPECT_LE(prediction.time.low_s, truth * (1 + 1e-6));
    EXPECT_GE(prediction.time.high_s, truth * (1 - 1e-6));
  }
}

TEST(Model, CountsAreExactAndExplained) {
  const Model model = fit_runs(halo_campaign());
  EXPECT_EQ(model.summary.count_laws, 4);
  EXPECT_EQ(model.summary.exact_count_laws, 4);
  const CountModel& isend = model.counts[1];
  EXPECT_EQ(isend.op, "MPI_Isend");
  EXPECT_NEAR(isend.calls.value(1024, 1024), 200 * 1023, 1e-3);
}

TEST(Model, UnitCostsComeOutOfNoisyTimes) {
  // The times of messages are off by 3 %. The fit must find the time per byte (beta) to within
  // 50 %, and the time of messages at 1024 processes to within 35 %. Bytes per message change with
  // P here (strong scaling in two dimensions); otherwise latency (alpha) and beta could not be
  // separated.
  std::vector<PlantedRun> runs;
  int i = 0;
  for (const int p : {4, 16, 36, 64}) {
    PlantedRun run = halo_run(p);
    run.sample_s = 1e-4;
    const double messages = 400 * (p - std::sqrt(p));
    const double bytes = messages * 4e6 / std::sqrt(p);
    run.ops[0] = {"MPI_Isend", "p2p", messages, bytes};
    run.p2p_s = (1e-4 * messages / p + 1e-9 * bytes / p) * (1 + 0.03 * (i++ % 2 ? 1 : -1));
    runs.push_back(run);
  }
  const Model model = fit_runs(runs);
  const CommModel& p2p = model.comm[0];
  ASSERT_TRUE(p2p.law);
  const CountFamily& hockney = p2p.law->families[0];
  EXPECT_GT(hockney.posterior, 0.5);
  ASSERT_EQ(hockney.features.size(), 2u);
  EXPECT_NEAR(hockney.features[1].cost, 1e-9, 0.5e-9);
  const Prediction p = predict(model, {.procs = 1024, .params = {}, .scaling = {}});
  const double messages = 400 * (1024 - 32.0);
  const double truth = 1e-4 * messages / 1024 + 1e-9 * messages * 4e6 / 32 / 1024;
  EXPECT_NEAR(p.parts.comm_p2p->time_s / truth, 1, 0.35);
  EXPECT_LE(p.parts.comm_p2p->low_s, truth);
  EXPECT_GE(p.parts.comm_p2p->high_s, truth);
}

TEST(Model, InstructionsCarryTheTimeOfAKernel) {
  // Times are off by up to 5 %, but instructions follow 1/P + 1/200 exactly. The law of the time
  // must therefore follow the instructions.
  const auto law = [](double p) { return 100 / p + 0.5; };
  std::vector<RunProfile> runs;
  int i = 0;
  for (const int p : {2, 4, 8}) {
    PlantedRun run;
    run.procs = p;
    run.sample_s = 1e-4;
    run.others_s = 0.001;
    run.kernel_s = {{"work", law(p) * (i++ % 2 ? 1.05 : 0.96)}};
    runs.push_back(synthetic::profile(run));
    Counter& c = runs.back().kernels[0].counters["instructions"];
    c.provenance = Provenance::kHardware;
    c.unit_per_sample = 1;
    c.samples.assign(static_cast<std::size_t>(p), static_cast<std::uint64_t>(1e10 * law(p)));
  }
  const Model model = fit(make_experiment(runs), synthetic::fit_options());
  ASSERT_EQ(model.kernels.size(), 1u);
  ASSERT_EQ(model.kernels[0].metrics.size(), 1u);
  EXPECT_TRUE(model.kernels[0].metrics[0].law.is_exact());
  ASSERT_FALSE(model.kernels[0].law.families.empty());
  EXPECT_NEAR(model.kernels[0].law.families[0].features[0].cost, 1e-10, 0.1e-10);
  const Prediction p = predict(model, {.procs = 128, .params = {}, .scaling = {}});
  EXPECT_NEAR(p.time.time_s / law(128), 1, 0.08);
  EXPECT_EQ(to_json(model_from_json(to_json(model), "m")), to_json(model));
}

TEST(Model, NoiseFreeUnitCostsAreFoundExactly) {
  // The messages of an open 2-D grid. Their time has no closed form in P, but it is the sum of the
  // counts times alpha and beta.
  std::vector<PlantedRun> runs;
  const auto halo2d = [](int p) {
    PlantedRun run = halo_run(p);
    const double sides = grid_shape(GridShape::kSides2, p);
    const double messages = 200 * (2 * p - sides);
    const double bytes = 1.6e6 * (sides - 2);
    run.ops[0] = {"MPI_Isend", "p2p", messages, bytes};
    run.p2p_s = 3e-5 * messages / p + 2e-9 * bytes / p;
    return run;
  };
  for (const int p : {4, 6, 8, 12}) runs.push_back(halo2d(p));
  const Model model = fit_runs(runs);
  const CommModel& p2p = model.comm[0];
  ASSERT_TRUE(p2p.law);
  EXPECT_EQ(p2p.law->kind, TimeLaw::Kind::kUnitCosts);
  EXPECT_NEAR(p2p.law->families[0].features[0].cost, 3e-5, 1e-9);
  EXPECT_NEAR(p2p.law->families[0].features[1].cost, 2e-9, 1e-13);
  const Prediction p = predict(model, {.procs = 256, .params = {}, .scaling = {}});
  EXPECT_NEAR(p.parts.comm_p2p->time_s / halo2d(256).p2p_s, 1, 1e-5);
}

TEST(Model, CallsToMpiProcNullAreNoMessages) {
  std::vector<RunProfile> with,
      without = synthetic::profiles({halo_run(2), halo_run(4), halo_run(8)});
  for (RunProfile run : without) {
    MpiRow nobody = run.mpi[0];
    nobody.peer = "nobody";
    nobody.calls *= 3;
    nobody.bytes_sent = nobody.bytes_received = 0;
    nobody.time_s = nobody.blocked_s = 0;
    run.mpi.push_back(nobody);
    with.push_back(std::move(run));
  }
  const auto calls_of = [](std::vector<RunProfile> runs) {
    std::vector<double> calls;
    const Model model = fit(make_experiment(std::move(runs)), synthetic::fit_options());
    for (const FitPoint& point : model.counts.at(0).calls_points) calls.push_back(point.value);
    return calls;
  };
  EXPECT_EQ(calls_of(with), calls_of(without));
}

TEST(Model, WeakHaloOnPowersOfTwoKeepsTheGridInItsInterval) {
  // On P = 2, 4, 8, a 2-D process grid has 1, 2, 4 cuts between its rows and columns. These numbers
  // are also P/2, so the points do not show whether messages grow as the cuts of a grid or as P/2.
  // The interval must contain the predictions of both laws.
  const auto halo2d = [](int p) {
    PlantedRun run;
    run.procs = p;
    run.params = {{"n", 1e6 * p}};
    run.kernel_s = {{"sweep", 5}};
    const double sides = grid_shape(GridShape::kSides2, p);
    const double messages = 200 * (2 * p - sides);
    const double bytes = std::round(1.6e6 * std::sqrt(p) * (sides - 2));
    run.ops = {{"MPI_Isend", "p2p", messages, bytes}};
    run.p2p_s = 3e-5 * messages / p + 2e-7 * bytes / p;
    return run;
  };
  const Model model = fit_runs({halo2d(2), halo2d(4), halo2d(8)});
  const Prediction p = predict(model, {.procs = 256, .params = {}, .scaling = {}});
  const double truth = halo2d(256).p2p_s;
  EXPECT_LE(p.parts.comm_p2p->low_s, truth * (1 + 1e-9));
  EXPECT_GE(p.parts.comm_p2p->high_s, truth * (1 - 1e-9));
}

TEST(Model, ClosureAndFitAreReportedAtEveryPoint) {
  const Model model = fit_runs(halo_campaign({2, 4, 8, 16}));
  ASSERT_EQ(model.points.size(), 4u);
  for (const ModelPoint& p : model.points) {
    EXPECT_NEAR(p.known_s, p.elapsed_s, 1e-6);
    EXPECT_NEAR(p.fitted_s / p.known_s, 1, 1e-3);
    EXPECT_NEAR(p.coverage, 1, 1e-9);
    EXPECT_LT(std::abs(p.parts.closure_s) / p.elapsed_s, 1e-6);
  }
}

TEST(Model, BacktestAsksAboutTheLargestCount) {
  const Model model = fit_runs(halo_campaign({2, 4, 8, 16}));
  const Backtest& test = model.backtest;
  ASSERT_TRUE(test.possible);
  EXPECT_EQ(test.procs, 16);
  EXPECT_EQ(test.from_procs, (std::vector<int>{2, 4, 8}));
  EXPECT_NEAR(test.measured_s, total(halo_run(16)), 1e-6);
  EXPECT_NEAR(test.error, 0, 0.02);
  EXPECT_TRUE(test.covered);
  EXPECT_EQ(test.baseline_errors.size(), 3u);
}

TEST(Model, WeakCampaignIsContinuedAlongItsOwnPath) {
  std::vector<PlantedRun> runs;
  for (const int p : {2, 4, 8, 16}) {
    PlantedRun run;
    run.procs = p;
    run.params = {{"n", 1000.0 * p}};
    run.sample_s = 1e-5;
    run.kernel_s = {{"work", 10 * (1 + 0.004 * (p % 3))}};
    run.others_s = 0.2;
    runs.push_back(run);
  }
  const Model model = fit_runs(runs);
  EXPECT_EQ(model.scaling, Scaling::kWeak);
  const Prediction p = predict(model, {.procs = 256, .params = {}, .scaling = {}});
  EXPECT_DOUBLE_EQ(p.params.at("n"), 256000);
  EXPECT_NEAR(p.time.time_s, 10.2, 0.6);
  EXPECT_NEAR(*p.efficiency, 1, 0.1);
}

TEST(Model, AnotherSizeGoesByWorkPerProcess) {
  const Model model = fit_runs(halo_campaign());
  // Four times n are four times the work here, because the work is n and not n^2.
  const Prediction same = predict(model, {.procs = 8, .params = {}, .scaling = {}});
  const Prediction more = predict(model, {.procs = 32, .params = {{"n", 4096}}, .scaling = {}});
  EXPECT_NEAR(more.parts.comp->time_s, same.parts.comp->time_s, 1e-6);
  EXPECT_THAT(more.warnings, Contains(HasSubstr("one problem size was profiled")));
  const Prediction weak = predict(model, {.procs = 32, .params = {}, .scaling = Scaling::kWeak});
  EXPECT_DOUBLE_EQ(weak.params.at("n"), 4096);
  EXPECT_NEAR(weak.time.time_s, more.time.time_s, 1e-9);
}

TEST(Model, TheWorkIsFoundWhenOneSizeVaries) {
  std::vector<PlantedRun> runs;
  for (const int p : {2, 4, 8})
    for (const double n : {256.0, 512.0}) {
      PlantedRun run = halo_run(p, 1, n);
      run.kernel_s = {{"sweep", 40 * n * n / 65536 / p}};
      runs.push_back(run);
    }
  const Model model = fit_runs(runs);
  EXPECT_EQ(model.scaling, Scaling::kMixed);
  EXPECT_EQ(model.work, "n^2");
  EXPECT_THAT(model.warnings, Contains(HasSubstr("taken as n^2")));
  const Prediction p = predict(model, {.procs = 64, .params = {{"n", 1024}}, .scaling = {}});
  EXPECT_NEAR(p.parts.comp->time_s / (40 * 16.0 / 64), 1, 0.02);
}

/// P and n vary. The computation is proportional to n^2/P, the number of messages grows with P, and
/// their bytes grow with P and n. The model predicts for up to eight times the processes and four
/// times the size of any run.
TEST(Model, ProcessesAndSizesTogetherPlantedWithoutNoise) {
  std::vector<PlantedRun> runs;
  for (const double n : {512.0, 1024.0, 2048.0})
    for (const int p : {2, 4, 8}) runs.push_back(halo_run(p, 1, n));
  const Model model = fit_runs(runs);
  EXPECT_EQ(model.scaling, Scaling::kMixed);
  for (const auto& [procs, n] : {std::pair(64, 2048.0), {8, 8192.0}, {64, 8192.0}, {32, 512.0}}) {
    const double truth_s = total(halo_run(procs, 1, n));
    const Prediction p = predict(model, {.procs = procs, .params = {{"n", n}}, .scaling = {}});
    EXPECT_NEAR(p.time.time_s / truth_s, 1, 0.01) << procs << " " << n;
    EXPECT_LE(p.time.low_s, truth_s * 1.01);
    EXPECT_GE(p.time.high_s, truth_s * 0.99);
  }
}

/// The same program with 3 % of noise on every time. Each true time must be inside its interval,
/// and no interval may be too wide.
TEST(Model, ProcessesAndSizesTogetherPlantedWithNoise) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 0.03);
  std::vector<PlantedRun> runs;
  for (const double n : {512.0, 1024.0, 2048.0})
    for (const int p : {2, 4, 8})
      for (int r = 1; r <= 2; ++r) {
        PlantedRun run = halo_run(p, r, n);
        run.sample_s = 1e-4;
        for (auto& [name, s] : run.kernel_s) s *= std::exp(noise(random));
        for (double* s : {&run.p2p_s, &run.coll_s, &run.others_s}) *s *= std::exp(noise(random));
        runs.push_back(run);
      }
  const Model model = fit_runs(runs);
  for (const auto& [procs, n] : {std::pair(64, 2048.0), {8, 8192.0}, {64, 8192.0}}) {
    const double truth_s = total(halo_run(procs, 1, n));
    const Prediction p = predict(model, {.procs = procs, .params = {{"n", n}}, .scaling = {}});
    EXPECT_NEAR(p.time.time_s / truth_s, 1, 0.15) << procs << " " << n;
    EXPECT_LE(p.time.low_s, truth_s);
    EXPECT_GE(p.time.high_s, truth_s);
    EXPECT_LT(p.time.high_s / p.time.low_s, 3);
  }
}

TEST(Model, ComesBackFromItsFileAndPredictsTheSame) {
  std::vector<PlantedRun> runs = halo_campaign({2, 4, 8, 16});
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].sample_s = 0.004;
    runs[i].coll_s *= 1 + 0.05 * static_cast<double>(i % 2);
  }
  const Model model = fit_runs(runs);
  const TemporaryFolder folder;
  const auto path = folder.path() / "model.json";
  write_model(model, path);
  const Model again = read_model(path);
  EXPECT_EQ(to_json(again), to_json(model));
  const Scenario scenario{.procs = 128, .params = {}, .scaling = {}};
  EXPECT_EQ(format_json(to_json(predict(again, scenario))),
            format_json(to_json(predict(model, scenario))));
  Json json = to_json(model);
  json["kernels"][0]["law"]["points"][0]["value"] = -1;
  try {
    model_from_json(json, "m.json");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("m.json:/kernels/0/law/points/0/value"),
              std::string::npos)
        << error.what();
  }
  json = to_json(model);
  json["format_version"] = "9.0";
  write_file_atomically(path, json.dump());
  EXPECT_THROW(read_model(path), InputError);
}

/// Three repetitions at 2, 4 and 8 processes; `simulated` says which of them have counts.
std::vector<RunProfile> repeated_runs(
    const std::function<bool(int procs, int repetition)>& simulated) {
  std::vector<RunProfile> runs;
  for (const int procs : {2, 4, 8})
    for (int repetition = 1; repetition <= 3; ++repetition) {
      PlantedRun planted = halo_run(procs, repetition);
      planted.sample_s = 1e-3;
      runs.push_back(profile(planted));
      if (!simulated(procs, repetition)) continue;
      runs.back().grade = Grade::kB;
      for (KernelProfile& k : runs.back().kernels) {
        Counter& c = k.counters["instructions"];
        c.provenance = Provenance::kSimulated;
        c.unit_per_sample = 1;
        c.samples.assign(static_cast<std::size_t>(procs), 1'000'000'000u / unsigned(procs));
      }
    }
  return runs;
}

TEST(SimulatedCounts, OfOneRepetitionAreThoseOfItsPoint) {
  const Experiment e = make_experiment(repeated_runs([](int, int r) { return r == 2; }));
  EXPECT_EQ(e.grade, Grade::kB);
  const Model model = fit(e, synthetic::fit_options());
  EXPECT_EQ(model.grade, Grade::kB);
  ASSERT_EQ(model.kernels[0].metrics.size(), 1u);
  EXPECT_TRUE(model.kernels[0].metrics[0].law.is_exact());
  EXPECT_EQ(model.kernels[0].metrics[0].points.size(), 3u);
  for (const ModelPoint& p : model.points) EXPECT_EQ(p.simulated_runs, 1);
  EXPECT_EQ(model_from_json(to_json(model), "m").points[0].simulated_runs, 1);
}

TEST(SimulatedCounts, OfOnePointAreNotThoseOfAnother) {
  const Experiment e = make_experiment(repeated_runs([](int p, int r) { return p < 8 && r == 1; }));
  EXPECT_EQ(e.grade, Grade::kC);
  EXPECT_EQ(e.points[0].grade, Grade::kB);
  EXPECT_EQ(e.points[2].grade, Grade::kC);
  EXPECT_TRUE(fit(e, synthetic::fit_options()).kernels[0].metrics.empty());
}

TEST(SimulatedCounts, AreNoExcuseForMeasuredOnesThatAreMissing) {
  std::vector<RunProfile> runs = repeated_runs([](int, int r) { return r == 2; });
  for (RunProfile& run : runs)
    for (KernelProfile& k : run.kernels)
      for (auto& [metric, counter] : k.counters)
        if (metric == "instructions") counter.provenance = Provenance::kHardware;
  const Model model = fit(make_experiment(runs), synthetic::fit_options());
  EXPECT_EQ(model.grade, Grade::kC);
  EXPECT_TRUE(model.kernels[0].metrics.empty());
}

/// A single process does not wait, so the law of waiting is not part of its fitted time.
TEST(FittedPoints, AreWhatAPredictionSaysThere) {
  std::vector<RunProfile> runs;
  for (const int procs : {1, 2, 4, 8}) {
    PlantedRun planted = halo_run(procs);
    planted.coll_s = procs == 1 ? 0 : 20.0;
    runs.push_back(profile(planted));
    if (procs == 1) continue;
    runs.back().communication.coll_wait_s = 20.0 - 0.1 * procs;
    runs.back().communication.coll_wait_coverage = 1;
  }
  const Model model = fit(make_experiment(runs), synthetic::fit_options());
  for (const ModelPoint& p : model.points) {
    const Prediction said =
        predict(model, {.procs = p.procs, .params = p.params, .scaling = Scaling::kStrong});
    EXPECT_NEAR(p.fitted_s, said.time.time_s, 1e-9 * p.fitted_s) << p.procs;
  }
}

TEST(FittedPoints, ThatTheLawsMissAreWarnedOf) {
  const auto warned = [](double at_4) {
    std::vector<PlantedRun> runs;
    for (const int procs : {2, 4, 8, 16}) {
      PlantedRun run;
      run.procs = procs;
      run.sample_s = 1e-3;
      run.kernel_s = {{"work", (procs == 4 ? at_4 : 1) * 40.0 / procs}};
      runs.push_back(run);
    }
    for (const std::string& w : fit_runs(runs).warnings)
      if (w.find("than was measured at P = 4") != std::string::npos) return true;
    return false;
  };
  EXPECT_FALSE(warned(1));
  EXPECT_FALSE(warned(1.15)) << "noise";
  EXPECT_TRUE(warned(1.5)) << "a third less than was measured";
  EXPECT_TRUE(warned(2.2));
}

/// Four ticks that arrived as one signal count as one observation, so the error of the time is
/// twice as large.
TEST(FittedPoints, AreAsUncertainAsTheirIndependentSamples) {
  std::vector<RunProfile> each, by_four;
  for (const int procs : {2, 4, 8}) {
    PlantedRun planted = halo_run(procs);
    planted.sample_s = 1e-3;
    each.push_back(profile(planted));
    by_four.push_back(each.back());
    for (KernelProfile& kernel : by_four.back().kernels) {
      Counter& time = kernel.counters.at("cpu_s");
      for (const std::uint64_t samples : time.samples) time.squares.push_back(4 * samples);
    }
  }
  const Model with_each = fit(make_experiment(each), synthetic::fit_options());
  const Model with_four = fit(make_experiment(by_four), synthetic::fit_options());
  ASSERT_EQ(with_each.kernels.size(), with_four.kernels.size());
  for (std::size_t k = 0; k < with_each.kernels.size(); ++k)
    for (std::size_t p = 0; p < with_each.kernels[k].points.size(); ++p) {
      const double error = with_each.kernels[k].points[p].rel_sampling;
      EXPECT_GT(error, 0);
      EXPECT_NEAR(with_four.kernels[k].points[p].rel_sampling, 2 * error, 0.01 * error);
    }
  for (std::size_t p = 0; p < with_each.points.size(); ++p)
    EXPECT_NEAR(with_four.points[p].parts.comp_s->rel_sampling,
                2 * with_each.points[p].parts.comp_s->rel_sampling, 1e-9);
}

}  // namespace
}  // namespace apmt
