// A kernel may be bound by its own calls to MPI, which the MPI table tells by their caller.
#include "fitter/kernel_verdicts.h"

#include <gtest/gtest.h>

#include "fitter/own_calls.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

constexpr double kExchange_s = 0.05;  // of a rank, at every process count

/// "exchange" computes 1 s divided among the ranks and sends; "solve" computes, and gathers a sum
/// in no time to speak of.
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

TEST(KernelVerdicts, OwnCallsSurviveTheirFile) {
  const Model m = model_from_json(to_json(model()), "model.json");
  for (const KernelModel& k : m.kernels) {
    EXPECT_EQ(k.calls.p2p, k.name == "exchange" ? 1 : 0) << k.name;
    EXPECT_EQ(k.calls.coll, k.name == "solve" ? 1 : 0) << k.name;
  }
}

}  // namespace
}  // namespace apmt
