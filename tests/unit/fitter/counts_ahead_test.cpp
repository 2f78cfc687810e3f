// Tests of kernels whose data begin to fit into a cache on more processes than were profiled, as
// simulations with larger caches foresee.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fitter/computation/cache_check.h"
#include "fitter/computation/kernel_counts.h"
#include "tests/unit/fitter/planted_processor.h"

namespace apmt {
namespace {

using processor::at;
using processor::Kernel;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// The data of `half` begin to fit within the profiled runs, those of `later` only beyond them.
const std::map<std::string, Kernel> kKernels = {
    {"half", {.cpi = 0.6, .blocking = 0.4, .accesses = 2e9, .fits_from = 4, .fitting = 1e9}},
    {"later", {.cpi = 0.5, .blocking = 0.5, .accesses = 2e9, .fits_from = 32, .fitting = 2e7}}};

/// Runs of the kernels on 1 to 8 processes. `later` also has another size of data in the first run,
/// so that the runs tell computation from memory time. The two largest runs are simulated with
/// larger caches. `shrinks`: whether the simulations foresee the truth.
std::vector<RunProfile> runs(bool shrinks, double noise = 0) {
  std::mt19937_64 random(1);
  std::vector<RunProfile> all;
  for (const int procs : {1, 2, 4, 8}) {
    std::map<std::string, Kernel> kernels = kKernels;
    if (procs == 1) kernels.at("later").accesses = 3e9;
    all.push_back(processor::run_of(kernels, procs, noise, &random));
    for (const int factor : {2, 4, 8}) {
      if (procs < 4 || (procs == 4 && factor > 2)) continue;
      for (KernelProfile& k : all.back().kernels) {
        const double accesses = kKernels.at(k.name).accesses_at(procs * factor);
        const bool is_wrong = !shrinks && k.name == "later";
        k.larger_caches.push_back(
            {static_cast<double>(factor),
             {{"hit_LLC", 0}, {"acc_mm", is_wrong ? 0.3 * accesses : accesses}}});
      }
    }
  }
  return all;
}

Model fitted(bool shrinks) { return fit(make_experiment(runs(shrinks)), processor::options()); }

double error_of(const Model& model, const char* kernel, int procs) {
  for (const PredictedKernel& k : predict(model, at(procs)).kernels) {
    const Kernel& truth = kKernels.at(kernel);
    if (k.name == kernel) return k.time.time_s / (truth.comp_s(procs) + truth.mem_s(procs)) - 1;
  }
  ADD_FAILURE() << kernel;
  return 0;
}

TEST(CountsAhead, AKernelThatBeginsToFitGetsFaster) {
  const Model model = fitted(true);
  for (const int procs : {16, 32, 64, 128})
    for (const char* kernel : {"half", "later"})
      EXPECT_NEAR(error_of(model, kernel, procs), 0, 0.05) << kernel << " " << procs;
  EXPECT_THAT(model.warnings, Not(Contains(HasSubstr("larger caches"))));
}

TEST(CountsAhead, WithoutThemItDoesNot) {
  std::vector<RunProfile> without = runs(true);
  for (RunProfile& run : without)
    for (KernelProfile& k : run.kernels) k.larger_caches.clear();
  const Model model = fit(make_experiment(without), processor::options());
  EXPECT_GT(error_of(model, "later", 64), 0.5);
}

TEST(CountsAhead, AreNotUsedIfTheyMissAProfiledPoint) {
  const Model model = fitted(false);
  EXPECT_GT(error_of(model, "later", 64), 0.5);
  EXPECT_NEAR(error_of(model, "half", 64), 0, 0.05);
  EXPECT_THAT(model.warnings, Contains(HasSubstr("how often later will access memory")));
}

/// The simulations say that the accesses of `half` keep their law up to 64 processes.
TEST(CountsAhead, RuleOutThatDataBeginToFit) {
  const auto fits_from = [](const std::vector<RunProfile>& all) {
    const Model model = fit(make_experiment(all), processor::options());
    double most = 0;
    for (const KernelModel& kernel : model.kernels)
      if (kernel.name == "half")
        for (const MemorySplit::Costs& costs : kernel.law.split->ways)
          most = std::max(most, costs.fits_below);
    return 1 / most;  // processes
  };
  std::vector<RunProfile> without = runs(true, 0.02);
  for (RunProfile& run : without)
    for (KernelProfile& k : run.kernels) k.larger_caches.clear();
  EXPECT_LT(fits_from(without), 20);
  EXPECT_GE(fits_from(runs(true, 0.02)), 128);
}

TEST(CountsAhead, AreKeptInTheModel) {
  const Model model = fitted(true);
  const Model again = model_from_json(to_json(model), "model.json");
  EXPECT_EQ(to_json(again), to_json(model));
  EXPECT_NEAR(error_of(again, "later", 64), 0, 0.05);
}

TEST(CountsAhead, NoWarningOfACacheThatWasForeseen) {
  const auto warns = [](const Model& model, int procs) {
    const std::vector<std::string> warnings = predict(model, at(procs)).warnings;
    return std::any_of(warnings.begin(), warnings.end(),
                       [](const std::string& w) { return w.find("'later'") != std::string::npos; });
  };
  const Model model = fitted(true);
  EXPECT_FALSE(warns(model, 64));
  EXPECT_FALSE(can_look_ahead(model, 64, 1));
  EXPECT_TRUE(can_look_ahead(model, 128, 1));
  EXPECT_TRUE(warns(model, 128)) << "the simulations reach 64 processes";
  EXPECT_THAT(predict(model, at(128)).warnings, Contains(HasSubstr("apmt simulate --ahead 128")));
}

}  // namespace
}  // namespace apmt
