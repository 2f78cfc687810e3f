// Tests of what bounds a kernel. Besides computation and memory, the bound may be the network, if
// the transfer in the kernel's own MPI calls takes long, or waiting for other ranks in these calls.
#include "fitter/prediction/kernel_verdicts.h"

#include <gtest/gtest.h>

#include "fitter/communication/own_calls.h"
#include "fitter/fit/fit.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

constexpr double kExchange_s = 0.05;  // of each rank's messages, at every process count

/// "exchange" sends messages and has 1 s of computation, which is divided among the ranks. "solve"
/// computes, and reduces a sum in negligible time.
RunProfile run_of(int procs, const std::string& sender = "exchange") {
  synthetic::PlantedRun run;
  run.procs = procs;
  run.kernel_s = {{"exchange", 1.0 / procs}, {"solve", 10.0 / procs}};
  run.p2p_s = kExchange_s;
  run.coll_s = 1e-4;
  run.ops = {{"MPI_Sendrecv", "p2p", 100.0 * procs, 800.0 * procs},
             {"MPI_Allreduce", "collective", 10.0 * procs, 80.0 * procs}};
  RunProfile profile = synthetic::profile(run);
  profile.mpi[0].caller = sender;
  profile.mpi[0].time_s = kExchange_s * procs;
  profile.mpi[1].caller = "solve";
  profile.mpi[1].time_s = 1e-4 * procs;
  return profile;
}

Model model(const std::string& sender = "exchange") {
  std::vector<RunProfile> runs;
  for (const int procs : {2, 4, 8, 16}) runs.push_back(run_of(procs, sender));
  return fit(make_experiment(runs), synthetic::fit_options());
}

PredictedKernel at(const Model& model, int procs, const std::string& name) {
  for (const PredictedKernel& k :
       predict(model, {.procs = procs, .params = {}, .scaling = {}}).kernels)
    if (k.name == name) return k;
  ADD_FAILURE() << "no kernel " << name;
  return {};
}

TEST(KernelVerdicts, AKernelWhoseCallsTakeLongerIsBoundByTheNetwork) {
  const Model m = model();
  const PredictedKernel far = at(m, 64, "exchange");
  EXPECT_EQ(far.bound, kBoundByNetwork);
  ASSERT_TRUE(far.bound_probability);
  EXPECT_GT(*far.bound_probability, 0.9);
  EXPECT_FALSE(far.bound_changes);

  const PredictedKernel near = at(m, 16, "exchange");
  EXPECT_EQ(near.bound, kBoundByCompute);
  ASSERT_TRUE(near.bound_changes);
  EXPECT_EQ(near.bound_becomes, kBoundByNetwork);
  EXPECT_NEAR(near.bound_changes->procs, 1 / kExchange_s, 2);
  EXPECT_LE(near.bound_changes->low, near.bound_changes->procs);
  EXPECT_EQ(at(m, 64, "solve").bound, kBoundByCompute);
}

TEST(KernelVerdicts, CallsOfOthersAreNotItsOwn) {
  const PredictedKernel k = at(model("main"), 64, "exchange");
  EXPECT_EQ(k.bound, kBoundByCompute);
  EXPECT_FALSE(k.bound_probability);
}

/// "relax" makes the same calls as "exchange" and takes ten times as long, which is more than
/// messages can cost.
Model model_that_waits() {
  std::vector<RunProfile> runs;
  for (const int procs : {2, 4, 8, 16}) {
    synthetic::PlantedRun run;
    run.procs = procs;
    run.kernel_s = {{"exchange", 1.0 / procs}, {"relax", 1.0 / procs}};
    run.p2p_s = 11 * kExchange_s;
    const double calls = 100.0 * procs;
    run.ops = {{"MPI_Sendrecv", "p2p", calls, 8 * calls},
               {"MPI_Sendrecv", "p2p", calls, 8 * calls}};
    RunProfile profile = synthetic::profile(run);
    profile.mpi[0].caller = "exchange";
    profile.mpi[1].caller = "relax";
    for (const std::size_t row : {0, 1})
      profile.mpi[row].time_s = profile.mpi[row].blocked_s =
          (row == 0 ? 1 : 10) * kExchange_s * procs;
    runs.push_back(std::move(profile));
  }
  return fit(make_experiment(runs), synthetic::fit_options());
}

TEST(KernelVerdicts, WaitingForOthersIsNoMatterOfTheNetwork) {
  const Model m = model_that_waits();
  const PredictedKernel relax = at(m, 64, "relax");
  EXPECT_EQ(relax.bound, kBoundByWaiting);
  EXPECT_GT(relax.bound_probability.value_or(0), 0.9);
  ASSERT_TRUE(relax.transfer && relax.wait);
  EXPECT_NEAR(relax.transfer->time_s, kExchange_s, 1e-6);
  EXPECT_NEAR(relax.wait->time_s, 9 * kExchange_s, 1e-6);
  EXPECT_EQ(relax.transfer_part, "comm_p2p");

  const PredictedKernel exchange = at(m, 64, "exchange");
  EXPECT_EQ(exchange.bound, kBoundByNetwork);
  EXPECT_NEAR(exchange.transfer->time_s, kExchange_s, 1e-6);
  EXPECT_NEAR(exchange.wait->time_s, 0, 1e-9);
}

TEST(KernelVerdicts, MessagesAndWaitingOfKernelsAreThoseOfTheProgram) {
  const Prediction p = predict(model_that_waits(), {.procs = 64, .params = {}, .scaling = {}});
  double transfer_s = 0, wait_s = 0;
  for (const PredictedKernel& k : p.kernels) {
    transfer_s += k.transfer->time_s;
    wait_s += k.wait->time_s;
  }
  EXPECT_NEAR(transfer_s, p.parts.comm_p2p->time_s, 1e-12);
  EXPECT_NEAR(wait_s, p.parts.comm_wait->time_s, 1e-12);
}

TEST(KernelVerdicts, TheCallInWhichRanksWaitLongestIsNamed) {
  const Model m = model_from_json(to_json(model_that_waits()), "model.json");
  const std::optional<LongestWait>& wait = m.points.back().longest_wait;
  ASSERT_TRUE(wait);
  EXPECT_EQ(wait->op, "MPI_Sendrecv");
  EXPECT_EQ(wait->caller, "relax");
  EXPECT_NEAR(wait->wait_s, 9 * kExchange_s, 1e-6);
  EXPECT_NEAR(wait->share, 1, 1e-6);
  EXPECT_FALSE(model().points.back().longest_wait) << "there, nobody waits";
}

TEST(KernelVerdicts, TheRestHasTheCallsThatNoKernelMakes) {
  std::vector<RunProfile> runs;
  for (const int procs : {2, 4, 8, 16}) {
    RunProfile run = run_of(procs, "helper");
    KernelProfile helper = run.kernels.front();
    helper.id.linkage_name = helper.name = "helper";
    for (std::uint64_t& samples : helper.counters["cpu_s"].samples) samples /= 100;
    run.kernels.push_back(std::move(helper));
    runs.push_back(std::move(run));
  }
  FitOptions options = synthetic::fit_options();
  options.threshold = 0.9;  // the calls take less, so they do not make the helper a kernel
  const Model m = fit(make_experiment(runs), options);
  ASSERT_EQ(m.kernels.back().role, KernelRole::kRest);
  EXPECT_EQ(m.kernels.back().calls.share("p2p", ""), 1);
  EXPECT_EQ(m.kernels.back().calls.share("coll", ""), 0) << "solve makes these";
}

/// In one of two repetitions, the kernel makes no MPI calls.
TEST(KernelVerdicts, CallsOfOneRepetitionAreNotForgotten) {
  std::vector<RunProfile> runs;
  for (const int procs : {2, 4, 8, 16}) {
    RunProfile run = run_of(procs, "exchange");
    runs.push_back(run);
    run.config.repetition = 2;
    std::erase_if(run.mpi, [](const MpiRow& row) { return row.caller == "exchange"; });
    runs.push_back(std::move(run));
  }
  const Model m = fit(make_experiment(runs), synthetic::fit_options());
  for (const KernelModel& k : m.kernels)
    if (k.name == "exchange") {
      EXPECT_EQ(k.calls.share("p2p", ""), 1);
    }
}

TEST(KernelVerdicts, OwnCallsSurviveTheirFile) {
  const Model m = model_from_json(to_json(model()), "model.json");
  for (const KernelModel& k : m.kernels) {
    EXPECT_EQ(k.calls.share("p2p", ""), k.name == "exchange" ? 1 : 0) << k.name;
    EXPECT_EQ(k.calls.share("coll", ""), k.name == "solve" ? 1 : 0) << k.name;
    ASSERT_EQ(k.calls.transfer_points.size(), 4u) << k.name;
    EXPECT_NEAR(k.calls.transfer_points[2].value, k.name == "solve" ? 1e-4 : kExchange_s, 1e-12);
    EXPECT_EQ(k.calls.wait_points[2].value, 0) << k.name;
  }
}

}  // namespace
}  // namespace apmt
