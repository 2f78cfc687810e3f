// Tests with too few points, equal values or wild values. In each case the result must be sensible,
// without absurd numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/input_error.h"
#include "fitter/fit/fit.h"
#include "fitter/prediction/prediction.h"
#include "tests/unit/fitter/sane.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

using synthetic::fit_runs;
using synthetic::halo_run;
using synthetic::PlantedRun;
using testing::Contains;
using testing::HasSubstr;

void expect_sane_everywhere(const Model& model) {
  const Predictor predictor(model);
  for (const int p : {1, 2, 3, 8, 100, 4096, 1000000})
    expect_sane(predictor.predict({.procs = p, .params = {}, .scaling = {}}));
}

TEST(Degenerate, OneProcessCountIsNotEnough) {
  try {
    fit_runs({halo_run(4), halo_run(4, 2)});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.code(), ExitCode::kNotEnoughData);
    EXPECT_THAT(error.what(), HasSubstr("P = 4"));
    EXPECT_THAT(error.hint(), HasSubstr("--procs 8,16"));
  }
}

TEST(Degenerate, NoRunAtAllIsNotEnough) {
  try {
    fit_runs({});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.code(), ExitCode::kNotEnoughData);
  }
}

/// A counter that always read 0 explains none of the time: the model has the same times with it as
/// without it.
TEST(Degenerate, CountersThatStayAtZero) {
  const auto runs = [](bool with_counters) {
    std::vector<RunProfile> list;
    for (const int p : {2, 4, 8}) {
      RunProfile run = profile(halo_run(p));
      if (with_counters)
        for (KernelProfile& k : run.kernels)
          for (const char* name : {"instructions", "cycles", "stall"}) {
            Counter& c = k.counters[name];
            c.provenance = Provenance::kHardware;
            c.unit_per_sample = 1;
            c.samples.assign(static_cast<std::size_t>(p), 0);
          }
      list.push_back(run);
    }
    return fit(make_experiment(std::move(list)), synthetic::fit_options());
  };
  const Model zero = runs(true);
  expect_sane_everywhere(zero);
  const Scenario scenario{.procs = 64, .params = {}, .scaling = {}};
  EXPECT_NEAR(predict(zero, scenario).time.time_s, predict(runs(false), scenario).time.time_s,
              1e-6);
}

TEST(Degenerate, TwoProcessCountsFitWithAWarningAndNoBacktest) {
  const Model model = fit_runs({halo_run(2), halo_run(4)});
  EXPECT_FALSE(model.backtest.possible);
  EXPECT_THAT(model.backtest.note, HasSubstr("three process counts"));
  EXPECT_THAT(model.warnings, Contains(HasSubstr("only two process counts")));
  expect_sane_everywhere(model);
}

TEST(Degenerate, NoKernelsAtAll) {
  std::vector<PlantedRun> runs = {halo_run(2), halo_run(4), halo_run(8)};
  for (PlantedRun& run : runs) run.kernel_s.clear();
  const Model model = fit_runs(runs);
  expect_sane_everywhere(model);
  EXPECT_EQ(predict(model, {.procs = 16, .params = {}, .scaling = {}}).parts.comp->time_s, 0);
}

TEST(Degenerate, OneKernelAndNoCommunication) {
  std::vector<PlantedRun> runs;
  for (const int p : {2, 4, 8}) {
    PlantedRun run;
    run.procs = p;
    run.kernel_s = {{"only", 8.0 / p}};
    run.others_s = 0;
    run.sample_s = 0.01;
    runs.push_back(run);
  }
  const Model model = fit_runs(runs);
  EXPECT_EQ(model.kernels[0].law.prior, "total");
  expect_sane_everywhere(model);
}

TEST(Degenerate, EverythingZero) {
  std::vector<PlantedRun> runs;
  for (const int p : {2, 4, 8}) {
    PlantedRun run;
    run.procs = p;
    run.others_s = 0;
    runs.push_back(run);
  }
  const Model model = fit_runs(runs);
  const Prediction p = predict(model, {.procs = 64, .params = {}, .scaling = {}});
  EXPECT_EQ(p.time.time_s, 0);
  EXPECT_FALSE(p.speedup);
  expect_sane_everywhere(model);
}

TEST(Degenerate, AllValuesEqual) {
  std::vector<PlantedRun> runs;
  for (const int p : {2, 4, 8})
    for (int r = 1; r <= 3; ++r) {
      PlantedRun run = halo_run(4, r);
      run.procs = p;
      runs.push_back(run);
    }
  const Model model = fit_runs(runs);
  expect_sane_everywhere(model);
  const double same = model.points[0].known_s;
  EXPECT_NEAR(predict(model, {.procs = 32, .params = {}, .scaling = {}}).time.time_s, same,
              0.1 * same);
}

TEST(Degenerate, TheSamePointTwiceIsARepetition) {
  const Model once = fit_runs({halo_run(2), halo_run(4), halo_run(8)});
  const Model twice = fit_runs({halo_run(2), halo_run(4), halo_run(4), halo_run(8)});
  EXPECT_EQ(once.points.size(), twice.points.size());
  EXPECT_EQ(twice.points[1].repetitions, 2);
  EXPECT_DOUBLE_EQ(once.points[1].known_s, twice.points[1].known_s);
}

TEST(Degenerate, WildRepetitionsWarnAndWiden) {
  const auto runs = [](double wildness) {
    std::vector<PlantedRun> list;
    for (const int p : {2, 4, 8})
      for (int r = 0; r < 3; ++r) {
        PlantedRun run = halo_run(p, r + 1);
        run.sample_s = 0.001;
        for (auto& [name, s] : run.kernel_s) s *= 1 + wildness * (r - 1);
        list.push_back(run);
      }
    return list;
  };
  const Model calm = fit_runs(runs(0.01));
  const Model wild = fit_runs(runs(0.9));
  EXPECT_THAT(wild.warnings, Contains(HasSubstr("vary widely")));
  expect_sane_everywhere(wild);
  const auto width = [](const Model& m) {
    const Prediction p = predict(m, {.procs = 32, .params = {}, .scaling = {}});
    return std::log(p.time.high_s / p.time.low_s);
  };
  EXPECT_GT(width(wild), 2 * width(calm));
}

TEST(Degenerate, KernelThatVanishes) {
  std::vector<PlantedRun> runs;
  for (const int p : {2, 4, 8}) {
    PlantedRun run = halo_run(p);
    run.sample_s = 0.01;
    run.kernel_s["gone"] = p == 8 ? 0 : 5;
    runs.push_back(run);
  }
  expect_sane_everywhere(fit_runs(runs));
}

TEST(Degenerate, OversubscribedAndUnsampledIsNotEnough) {
  std::vector<RunProfile> profiles;
  for (const int p : {2, 4, 8}) {
    RunProfile run = synthetic::profile(halo_run(p));
    run.grade = Grade::kD;
    run.config.oversubscribed = true;
    profiles.push_back(run);
  }
  try {
    fit(make_experiment(profiles), synthetic::fit_options());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.code(), ExitCode::kNotEnoughData);
  }
}

TEST(Degenerate, OptionsAreChecked) {
  FitOptions options = synthetic::fit_options();
  for (const double bad : {0.0, -1.0, 1.5, std::nan("")}) {
    options.threshold = bad;
    EXPECT_THROW(fit_runs({halo_run(2), halo_run(4)}, options), InputError);
  }
  options.threshold = 0.05;
  options.work = "m*m";
  EXPECT_THROW(fit_runs({halo_run(2), halo_run(4)}, options), InputError);
}

TEST(Degenerate, ATimeThatScattersByManyTimesItselfDoesNotSwallowTheWhole) {
  std::vector<PlantedRun> runs;
  for (const int p : {2, 4, 8})
    for (int r = 1; r <= 3; ++r) {
      PlantedRun run = halo_run(p, r);
      run.others_s = r == 2 ? 2e-3 : 1e-6;
      runs.push_back(run);
    }
  const Prediction p = predict(fit_runs(runs), {.procs = 32, .params = {}, .scaling = {}});
  EXPECT_LT(p.parts.start->high_s, 0.05);
  EXPECT_LT(p.parts.end->high_s, 0.05);
  EXPECT_LT(p.time.high_s, 1.5 * p.time.time_s);
}

}  // namespace
}  // namespace apmt
