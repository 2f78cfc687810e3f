// Tests of communication of which only times are known, as in profiles of other tools.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "fitter/prediction/prediction.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

struct Grows {
  const char* name;
  std::function<double(double)> seconds;
};

class UncountedCalls : public testing::TestWithParam<Grows> {};

TEST_P(UncountedCalls, GrowAsTreesSurfacesOrConstants) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(1, 0.02);
  std::vector<synthetic::PlantedRun> runs;
  for (const int procs : {2, 4, 8, 16})
    for (int repetition = 1; repetition <= 3; ++repetition) {
      synthetic::PlantedRun run;
      run.procs = procs;
      run.repetition = repetition;
      run.kernel_s = {{"sweep", 90.0 / procs * noise(random)}};
      run.coll_s = GetParam().seconds(procs) * noise(random);
      runs.push_back(run);
    }
  const Model model = synthetic::fit_runs(runs);
  for (const int procs : {64, 256}) {
    const Prediction p = predict(model, {.procs = procs, .params = {}, .scaling = {}});
    const double true_s = GetParam().seconds(procs);
    EXPECT_NEAR(p.parts.comm_coll->time_s / true_s, 1, 0.15) << procs;
    EXPECT_LE(p.parts.comm_coll->low_s, true_s) << procs;
    EXPECT_GE(p.parts.comm_coll->high_s, true_s) << procs;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, UncountedCalls,
    testing::Values(Grows{"log", [](double p) { return 0.5 * std::log2(p); }},
                    Grows{"constant_and_log", [](double p) { return 0.3 + 0.3 * std::log2(p); }},
                    Grows{"constant", [](double) { return 0.7; }},
                    Grows{"root", [](double p) { return 0.3 * std::sqrt(p); }},
                    Grows{"surface", [](double p) { return 3 * std::pow(p, -2.0 / 3); }}),
    [](const auto& grows) { return grows.param.name; });

}  // namespace
}  // namespace apmt
