// Tests of comparing predictions with runs that the model was not fitted to.
#include "fitter/prediction/validate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/input_error.h"
#include "fitter/fit/fit.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

using synthetic::fit_runs;
using synthetic::halo_run;
using synthetic::PlantedRun;
using synthetic::profiles;

Model model() { return fit_runs({halo_run(2), halo_run(4), halo_run(8)}); }

TEST(Validate, TheSameLawsAreConfirmed) {
  const auto list = validate(model(), make_experiment(profiles({halo_run(32)})));
  ASSERT_EQ(list.size(), 1U);
  const Validation& v = list.front();
  EXPECT_EQ(v.procs, 32);
  EXPECT_FALSE(v.was_fitted);
  EXPECT_DOUBLE_EQ(v.extrapolation_factor, 4);
  ASSERT_TRUE(v.whole);
  EXPECT_NEAR(v.whole->error(), 0, 0.01);
  EXPECT_TRUE(v.whole->is_covered());
  ASSERT_TRUE(v.parts.contains("comp_s"));
  EXPECT_NEAR(v.parts.at("comp_s").measured_s, 40.0 / 32 + 0.2, 1e-6);
  EXPECT_NEAR(v.parts.at("comp_s").error(), 0, 0.01);
  ASSERT_EQ(v.kernels.size(), 2U);
  EXPECT_EQ(v.kernels[0].name, "sweep");
  EXPECT_NEAR(v.kernels[0].check.measured_s, 40.0 / 32, 1e-6);
  EXPECT_TRUE(v.baseline_errors.contains("power law"));
}

TEST(Validate, CallsOfKernelsAreComparedToo) {
  const auto run_of = [](int procs, double factor) {
    RunProfile run = synthetic::profile(halo_run(procs));
    run.mpi[0].caller = "sweep";
    run.mpi[0].time_s = factor * run.times.mpi_p2p_s.total();
    return run;
  };
  const Model model =
      fit(make_experiment({run_of(2, 1), run_of(4, 1), run_of(8, 1)}), synthetic::fit_options());
  const Validation v = validate(model, make_experiment({run_of(32, 2)})).front();
  const Validation::Kernel& sweep = v.kernels.front();
  ASSERT_EQ(sweep.name, "sweep");
  ASSERT_TRUE(sweep.transfer && sweep.wait);
  EXPECT_NEAR(sweep.transfer->measured_s, 2 * halo_run(32).p2p_s, 1e-9);
  EXPECT_NEAR(sweep.transfer->error(), -0.5, 0.01);
  EXPECT_NEAR(sweep.wait->measured_s, 0, 1e-12);
  EXPECT_FALSE(v.kernels.back().transfer) << "it makes no calls";
  EXPECT_FALSE(sweep.mem) << "nothing counts its accesses";
}

TEST(Validate, CallsAndBytesAreComparedToo) {
  RunProfile run = synthetic::profile(halo_run(32));
  const Validation same = validate(model(), make_experiment({run})).front();
  ASSERT_FALSE(same.operations.empty());
  for (const OperationCheck& check : same.operations) {
    EXPECT_TRUE(check.calls.is_covered()) << check.op;
    EXPECT_TRUE(check.bytes.is_covered()) << check.op;
  }
  const std::string op = same.operations.front().op;  // the one that moves most bytes
  for (MpiRow& row : run.mpi)
    if (row.op == op) {
      row.calls *= 2;
      row.bytes_sent *= 4;
    }
  MpiRow unknown = run.mpi.front();
  unknown.op = "MPI_Alltoall";
  unknown.calls = 7;
  run.mpi.push_back(unknown);
  const Validation other = validate(model(), make_experiment({run})).front();
  const auto found = [&](const std::string& name) {
    return *std::find_if(other.operations.begin(), other.operations.end(),
                         [&](const OperationCheck& check) { return check.op == name; });
  };
  EXPECT_NEAR(found(op).calls.error().value(), -0.5, 1e-9);
  EXPECT_NEAR(found(op).bytes.error().value(), -0.75, 1e-9);
  EXPECT_FALSE(found(op).calls.is_covered());
  EXPECT_EQ(found("MPI_Alltoall").calls.predicted, std::nullopt);
  EXPECT_EQ(found("MPI_Alltoall").calls.measured, 7);
  EXPECT_FALSE(found("MPI_Alltoall").calls.is_covered());
  const Json json = to_json({other})[0].at("operations");
  EXPECT_EQ(json[0].at("op"), op);
  EXPECT_NEAR(json[0].at("calls").at("error").get<double>(), -0.5, 1e-9);
}

TEST(Validate, AKernelThatBehavesOtherwiseIsFound) {
  PlantedRun other = halo_run(32);
  other.kernel_s["sweep"] *= 3;
  const auto list = validate(model(), make_experiment(profiles({other})));
  const Validation& v = list.front();
  EXPECT_LT(v.whole->error(), -0.2);
  EXPECT_FALSE(v.whole->is_covered());
  EXPECT_NEAR(v.kernels[0].check.error(), 1.0 / 3 - 1, 0.02);
  EXPECT_NEAR(v.kernels[1].check.error(), 0, 0.02) << v.kernels[1].name;
}

constexpr std::uint64_t kCoarser = 50'000'000;  // 50 ms per sample

void sample_less_often(RunProfile* run) {
  for (KernelProfile& kernel : run->kernels)
    for (auto& [name, counter] : kernel.counters) {
      counter.unit_per_sample *= kCoarser;
      for (auto& samples : counter.samples) samples /= kCoarser;
    }
}

/// "sweep" takes 1.25 s per rank and is measured as `measured_s`, by few samples or by many.
Check sweep_measured_as(double measured_s, bool few_samples) {
  PlantedRun other = halo_run(32);
  other.kernel_s["sweep"] = measured_s;
  RunProfile run = synthetic::profile(other);
  if (few_samples) sample_less_often(&run);
  return validate(model(), make_experiment({run})).front().kernels[0].check;
}

TEST(Validate, AFewSamplesMoveTheMeasuredTimeOfAKernel) {
  // With a sample every 0.05 s, the standard error of the measured time is sqrt(1.25 s * 0.05 s /
  // 32 ranks) = 0.044 s.
  EXPECT_NEAR(sweep_measured_as(1.3, true).margin_s, 1.28 * 0.044, 0.002);
  for (const double measured_s : {1.2, 1.3}) {
    EXPECT_FALSE(sweep_measured_as(measured_s, false).is_covered()) << measured_s;
    EXPECT_TRUE(sweep_measured_as(measured_s, true).is_covered()) << measured_s;
  }
  EXPECT_FALSE(sweep_measured_as(1.5, true).is_covered());
}

/// "send" only calls MPI; no sample falls into its own computation.
TEST(Validate, OfAKernelWithoutSamplesOnlyABoundIsPredicted) {
  const auto run_of = [](int procs, double send_s) {
    PlantedRun planted = halo_run(procs);
    planted.kernel_s["send"] = send_s;
    planted.p2p_s = 3;
    RunProfile run = synthetic::profile(planted);
    if (procs < 16) sample_less_often(&run);
    run.mpi[0].caller = "send";
    run.mpi[0].time_s = run.times.mpi_p2p_s.total();
    return run;
  };
  const Model model =
      fit(make_experiment({run_of(2, 0), run_of(4, 0), run_of(8, 0)}), synthetic::fit_options());
  const auto check = [&](double send_s) {
    const Validation v = validate(model, make_experiment({run_of(16, send_s)})).front();
    for (const Validation::Kernel& kernel : v.kernels)
      if (kernel.name == "send") return kernel.check;
    throw std::runtime_error("no such kernel");
  };
  const double one_sample_s = *model.points.back().parts.one_sample_s();
  EXPECT_NEAR(one_sample_s, 0.05 / 8, 1e-4);
  EXPECT_TRUE(check(0).is_bound);
  EXPECT_EQ(check(0).predicted.time_s, 0);
  EXPECT_EQ(check(0).predicted.high_s, one_sample_s);
  for (const double send_s : {0.0, 0.9 * one_sample_s}) {
    EXPECT_TRUE(check(send_s).is_covered());
    EXPECT_TRUE(std::isinf(check(send_s).error())) << "no error is known";
  }
  EXPECT_FALSE(check(5 * one_sample_s).is_covered());
}

TEST(Validate, AFunctionUnknownToTheModelIsInItsRest) {
  std::vector<PlantedRun> runs;
  for (const int procs : {2, 4, 8}) {
    PlantedRun run = halo_run(procs);
    run.kernel_s["small"] = 0.1 / procs;
    runs.push_back(run);
  }
  PlantedRun large = halo_run(32);
  large.kernel_s["small"] = 0.1 / 32;
  large.kernel_s["new"] = 0.5;
  const auto list = validate(fit_runs(runs), make_experiment(profiles({large})));
  const Validation::Kernel& rest = list.front().kernels.back();
  EXPECT_EQ(rest.name, "(rest)");
  EXPECT_NEAR(rest.check.measured_s, 0.1 / 32 + 0.5, 1e-6);
}

TEST(Validate, OversubscribedRunsTellOfComputationOnly) {
  PlantedRun run = halo_run(32);
  run.oversubscribed = true;
  const auto list = validate(model(), make_experiment(profiles({run})));
  EXPECT_FALSE(list.front().whole) << "communication was not measured";
  EXPECT_TRUE(list.front().parts.contains("comp_s"));
  EXPECT_FALSE(list.front().parts.contains("comm_coll_s"));
  EXPECT_TRUE(list.front().baseline_errors.empty());
  EXPECT_TRUE(list.front().oversubscribed);
  const std::vector<std::string>& missing = list.front().missing;
  EXPECT_EQ(std::count(missing.begin(), missing.end(), "comm_coll_s"), 1);
  EXPECT_EQ(std::count(missing.begin(), missing.end(), "comp_s"), 0);
}

TEST(Validate, WhatWasFittedIsSaid) {
  const auto list = validate(model(), make_experiment(profiles({halo_run(8), halo_run(16)})));
  ASSERT_EQ(list.size(), 2U);
  EXPECT_TRUE(list[0].was_fitted);
  EXPECT_TRUE(list[0].same_runs);
  EXPECT_FALSE(list[1].was_fitted);
  EXPECT_FALSE(list[1].same_runs);
}

TEST(Validate, OtherRunsAtAFittedCountAreNotTheSameRuns) {
  PlantedRun again = halo_run(8);
  for (auto& [name, seconds] : again.kernel_s) seconds *= 1.1;
  const auto list = validate(model(), make_experiment(profiles({again})));
  EXPECT_TRUE(list.front().was_fitted);
  EXPECT_FALSE(list.front().same_runs);
}

TEST(Validate, AnotherProgramIsRefused) {
  auto runs = profiles({halo_run(32)});
  runs.front().program = "other";
  EXPECT_THROW(validate(model(), make_experiment(runs)), InputError);
  give_name("planted", &runs.front());
  EXPECT_NO_THROW(validate(model(), make_experiment(runs)));
}

}  // namespace
}  // namespace apmt
