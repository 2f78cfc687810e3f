// Tests of separating waiting from communication, and of communication with the usual algorithms of
// MPI libraries.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "fitter/fit/fit.h"
#include "fitter/prediction/prediction.h"
#include "fitter/runs/run_parts.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

using synthetic::fit_runs;
using synthetic::halo_run;
using synthetic::PlantedRun;

constexpr int kProcs = 4;

/// Rank 0 computes `lead_s` longer than the others, which spend this time in MPI.
RunProfile with_a_lead(double lead_s) {
  PlantedRun planted = halo_run(kProcs);
  planted.p2p_s = 1;
  planted.coll_s = 2;
  RunProfile run = profile(planted);
  run.times.mpi_s.per_rank[0] -= lead_s;
  run.times.mpi_p2p_s.per_rank[0] -= lead_s;
  return run;
}

/// The parts of the run's time if it is the only run of its program.
RunParts parts_alone(const RunProfile& run) { return parts_of(run, false, MessageCosts({run})); }

TEST(Waiting, IsAtLeastWhatTheBusiestRankComputesLonger) {
  const RunParts parts = parts_alone(with_a_lead(0.4));
  EXPECT_NEAR(*parts.comm_wait_s, 0.3, 1e-12);
  EXPECT_NEAR(*parts.comm_p2p_s, 0.9 - 0.3, 1e-12);
  EXPECT_NEAR(*parts.comm_coll_s, 2, 1e-12);
}

/// Its messages to itself and its collectives may be slow, but not because another rank is late.
TEST(Waiting, IsNotDoneBySingleProcesses) {
  PlantedRun planted = halo_run(1);
  planted.p2p_s = 1;
  planted.coll_s = 2;
  RunProfile run = profile(planted);
  run.communication.coll_wait_s = 0.5;
  run.communication.coll_wait_coverage = 1;
  EXPECT_EQ(*parts_alone(run).comm_wait_s, 0);
  EXPECT_EQ(*parts_alone(run).comm_coll_s, 2);
}

TEST(Waiting, IsNotDoneForARankThatIsBusyAtTheEndOfTheRun) {
  RunProfile run = with_a_lead(0.4);
  run.times.mpi_s.per_rank[0] += 0.4;
  run.times.mpi_p2p_s.per_rank[0] += 0.4;
  run.times.main_s.per_rank[0] += 0.4;  // the others are in MPI_Finalize
  EXPECT_EQ(*parts_alone(run).comm_wait_s, 0);
}

/// Rank 1 computes 0.2 s longer than the others, which wait for it. At the end, rank 0 is busy for
/// longer than that.
TEST(Waiting, IsDoneForTheBusiestRankBeforeTheEndOfTheRun) {
  RunProfile run = with_a_lead(0);
  run.times.mpi_s.per_rank[1] -= 0.2;
  run.times.mpi_p2p_s.per_rank[1] -= 0.2;
  run.times.main_s.per_rank[0] += 0.4;
  // The mean end of the ranks is now 0.1 s later, so up to it rank 0 is only 0.1 s busier. The mean
  // time outside MPI is 0.15 s longer.
  EXPECT_NEAR(*parts_alone(run).comm_wait_s, 0.2 - 0.15, 1e-12);
}

TEST(Waiting, GoesToCollectivesWhereMessagesCannotHoldIt) {
  RunProfile run = with_a_lead(0.4);
  for (double& s : run.times.mpi_p2p_s.per_rank) s = 0.1;
  const RunParts parts = parts_alone(run);
  EXPECT_NEAR(*parts.comm_wait_s, 0.3, 1e-12);
  EXPECT_NEAR(*parts.comm_p2p_s, 0, 1e-12);
  EXPECT_NEAR(*parts.comm_coll_s, 1.8, 1e-12);
}

TEST(Waiting, IsWhatInstancesOfCollectivesSay) {
  RunProfile run = with_a_lead(0.4);
  run.communication.coll_wait_s = 0.7;
  run.communication.coll_wait_coverage = 0.5;  // too few collectives, so this is not used
  EXPECT_NEAR(*parts_alone(run).comm_wait_s, 0.3, 1e-12);
  run.communication.coll_wait_coverage = 1;
  const RunParts parts = parts_alone(run);
  EXPECT_NEAR(*parts.comm_wait_s, 0.7, 1e-12);
  EXPECT_NEAR(*parts.comm_coll_s, 1.3, 1e-12);
  EXPECT_NEAR(*parts.comm_p2p_s, 0.9, 1e-12);
}

TEST(Waiting, IsWhatTheQuickestMessagesOfAKindSay) {
  RunProfile run = with_a_lead(0);
  MpiRow late;
  late.op = "MPI_Recv";
  late.op_class = "p2p";
  late.calls = 10 * kProcs;
  late.time_s = late.blocked_s = 0.8 * kProcs;
  MpiRow unknown = late;
  unknown.op = "MPI_Mrecv";
  run.mpi = {late, unknown};
  MpiOperation quick;
  quick.op = "MPI_Recv";
  quick.op_class = "p2p";
  quick.low_s = 0.03;
  run.communication.operations = {quick};
  const RunParts parts = parts_alone(run);
  EXPECT_NEAR(*parts.comm_wait_s, 0.5, 1e-12);
  EXPECT_NEAR(*parts.comm_p2p_s, 0.5, 1e-12);
}

/// By chance, the problem divides evenly on 8 processes but not on 64. The fit must not mistake
/// such jumps of the waiting time for a law of growth.
TEST(Waiting, ThatJumpsIsNoLawOfGrowth) {
  const auto run_at = [](int procs, double waiting_s) {
    PlantedRun planted;
    planted.procs = procs;
    planted.kernel_s = {{"work", 16.0 / procs}};
    planted.ops = {{"MPI_Allreduce", "collective", 4.0 * procs, 32.0 * procs}};
    planted.coll_s = waiting_s + 1e-3;
    RunProfile run = profile(planted);
    run.communication.coll_wait_s = waiting_s;
    run.communication.coll_wait_coverage = 1;
    return run;
  };
  const Model model =
      fit(make_experiment({run_at(8, 0.038), run_at(27, 0.0157), run_at(64, 0.0153)}),
          synthetic::fit_options());
  const Prediction p = predict(model, {.procs = 512, .params = {}, .scaling = {}});
  EXPECT_LT(p.parts.comm_wait->time_s, 0.0153);
  EXPECT_GT(p.parts.comm_wait->high_s, 0.0153);
}

/// Rank 0 sends all data to each of the others, which wait until it has sent to all of them. The
/// mean number of messages and bytes of a rank hardly grows.
TEST(Waiting, ForAMasterThatSendsToAllGrowsWithTheirNumber) {
  std::vector<RunProfile> runs;
  for (const int procs : {4, 8})
    for (const double noise : {0.97, 1.0, 1.03}) {
      PlantedRun planted;
      planted.procs = procs;
      planted.repetition = static_cast<int>(std::lround(100 * noise));
      planted.kernel_s = {{"work", 4.0 / procs}};
      planted.ops = {{"MPI_Send", "p2p", 3.0 * (procs - 1), 4e6 * (procs - 1)}};
      planted.p2p_s = noise * 0.0125 * (procs - 1);
      runs.push_back(profile(planted));
      runs.back().communication.pattern.kind = "master-worker";
    }
  const Model model = fit(make_experiment(runs), synthetic::fit_options());
  const Prediction p = predict(model, {.procs = 128, .params = {}, .scaling = {}});
  ASSERT_TRUE(p.parts.comm_p2p);
  EXPECT_NEAR(p.parts.comm_p2p->time_s, 0.0125 * 127, 0.1 * 0.0125 * 127);
  // One of the laws counts all messages of the run for each process.
  const auto messages = std::find_if(model.comm.begin(), model.comm.end(),
                                     [](const CommModel& c) { return c.part == "p2p"; });
  ASSERT_NE(messages, model.comm.end());
  ASSERT_EQ(messages->law->families.size(), 2U);
  EXPECT_NEAR(messages->law->families[0].features[0].per_rank(128, 1), 3 * 127.0 / 128, 1e-6);
  EXPECT_NEAR(messages->law->families[1].features[0].per_rank(128, 1), 3 * 127, 1e-6);
}

TEST(Waiting, IsUnknownWhereCommunicationIs) {
  EXPECT_FALSE(parts_of(with_a_lead(0.4), true, MessageCosts({})).comm_wait_s);
}

/// With more processes, the share of a serial part grows until it is nearly the whole run. Rank 0
/// does the serial part; the others wait for it in a broadcast.
TEST(Waiting, OfASerialPartIsExtrapolated) {
  const auto run_at = [](int procs) {
    PlantedRun planted;
    planted.procs = procs;
    planted.kernel_s = {{"work", 40.0 / procs}};
    planted.ops = {{"MPI_Bcast", "rooted", 4.0 * procs, 32.0}};
    planted.coll_s = 3;
    RunProfile run = profile(planted);
    for (double& s : run.times.main_s.per_rank) s = 40.0 / procs + 3;
    run.times.mpi_s.per_rank[0] = run.times.mpi_coll_s.per_rank[0] = 0;
    run.kernels.front().counters["cpu_s"].samples[0] += 3'000'000'000;
    return run;
  };
  const Model model =
      fit(make_experiment({run_at(2), run_at(4), run_at(8)}), synthetic::fit_options());
  const Prediction p = predict(model, {.procs = 512, .params = {}, .scaling = {}});
  EXPECT_NEAR(p.time.time_s, 0.1 + 40.0 / 512 + 3, 1e-3);
  ASSERT_TRUE(p.parts.comm_wait);
  EXPECT_NEAR(p.parts.comm_wait->time_s, 3 * (1 - 1.0 / 512), 1e-3);
}

/// Pairwise exchange: every rank sends a different block of its data to each of the others.
TEST(UsualAlgorithms, AnAlltoallIsASequenceOfExchanges) {
  const double latency_s = 20e-6, s_per_byte = 1e-9, calls = 10, total_bytes = 1e9;
  const auto time_s = [&](double p) {
    return calls * (latency_s * (p - 1) + s_per_byte * total_bytes / p * (p - 1) / p);
  };
  std::vector<PlantedRun> runs;
  for (const int p : {4, 8, 16}) {
    PlantedRun run;
    run.procs = p;
    run.kernel_s = {{"work", 40.0 / p}};
    run.ops = {{"MPI_Alltoall", "collective", calls * p, calls * total_bytes}};
    run.coll_s = time_s(p);
    runs.push_back(run);
  }
  const Prediction p = predict(fit_runs(runs), {.procs = 256, .params = {}, .scaling = {}});
  EXPECT_NEAR(p.parts.comm_coll->time_s, time_s(256), 1e-6 * time_s(256));
}

/// A tree: every rank receives all bytes, which only the root counts.
TEST(UsualAlgorithms, ABroadcastPassesItsBytesAlongATree) {
  const double latency_s = 20e-6, s_per_byte = 1e-9, calls = 10, total_bytes = 4e6;
  const auto time_s = [&](double p) {
    return calls * (latency_s + s_per_byte * total_bytes / p) * std::log2(p);
  };
  std::vector<PlantedRun> runs;
  for (const int p : {4, 8, 16}) {
    PlantedRun run;
    run.procs = p;
    run.kernel_s = {{"work", 40.0 / p}};
    run.ops = {{"MPI_Bcast", "rooted", calls * p, calls * total_bytes / p}};
    run.coll_s = time_s(p);
    runs.push_back(run);
  }
  const Prediction p = predict(fit_runs(runs), {.procs = 256, .params = {}, .scaling = {}});
  EXPECT_NEAR(p.parts.comm_coll->time_s, time_s(256), 0.01 * time_s(256));
}

/// Matrix products on a square grid of processes broadcast along its rows and columns. The number
/// of levels of a tree is log2 of the size of a row, and each process receives the bytes that one
/// process of its row sends.
TEST(UsualAlgorithms, ACollectiveOfAPartOfTheProcessesCountsByTheSizeOfThePart) {
  const double latency_s = 20e-6, s_per_byte = 1e-9, calls = 1000, total_bytes = 1e8;
  const auto side = [](double p) { return std::sqrt(p); };
  const auto time_s = [&](double p) {
    return calls * (latency_s + s_per_byte * total_bytes / (calls * side(p))) * std::log2(side(p));
  };
  std::vector<RunProfile> runs;
  for (const int p : {4, 16, 64}) {
    PlantedRun run;
    run.procs = p;
    run.kernel_s = {{"work", 40.0 / p}};
    run.ops = {{"MPI_Bcast", "rooted", calls * p, total_bytes}};  // of side(p) roots
    run.coll_s = time_s(p);
    runs.push_back(profile(run));
    runs.back().mpi.front().comm_size = static_cast<std::int64_t>(side(p));
  }
  const Model model = fit(make_experiment(runs), synthetic::fit_options());
  for (const int procs : {256, 1024}) {
    const Prediction p = predict(model, {.procs = procs, .params = {}, .scaling = {}});
    EXPECT_NEAR(p.parts.comm_coll->time_s, time_s(procs), 0.02 * time_s(procs)) << procs;
  }
}

}  // namespace
}  // namespace apmt
