// Tests of how operations pass on their messages and bytes, also in communicators of only some of
// the processes.
#include "fitter/runs/passes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "fitter/communication/op_counts.h"
#include "fitter/laws/law_catalog.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

struct Usual {
  const char* op;
  double steps, bytes;  // factors on a communicator of 8 processes
  double plain_bytes = 1;
};

TEST(Passes, OfATreeFirstJoinTheProcessesOfANode) {
  const Nodes four{.count = 4, .ranks_per_node = 4}, one{.count = 1, .ranks_per_node = 16};
  constexpr double kWithin = 0.25;
  EXPECT_EQ(factor_on_nodes(Passes::kTree, 16, 16, four, kWithin), 2 * kWithin + 2);
  EXPECT_EQ(factor_on_nodes(Passes::kTreeToAll, 16, 16, four, kWithin), 16 * (2 * kWithin + 2));
  EXPECT_EQ(factor_on_nodes(Passes::kTree, 16, 16, one, kWithin), 4 * kWithin);
  EXPECT_EQ(factor_on_nodes(Passes::kTree, 4, 16, four, kWithin), 2 * kWithin) << "one node's";
  EXPECT_EQ(factor_on_nodes(Passes::kTree, 8, 16, four, kWithin), 3);
  EXPECT_EQ(factor_on_nodes(Passes::kRing, 16, 16, four, kWithin), 15);
  EXPECT_EQ(factor_on_nodes(Passes::kTree, 16, 16, {.count = 0}, kWithin), 4) << "not known where";
}

TEST(Passes, UsualAlgorithmsOfEightProcesses) {
  for (const Usual& usual : {Usual{"MPI_Barrier", 3, 3},
                             {"MPI_Bcast", 3, 24, 8},
                             {"MPI_Ibcast", 3, 24, 8},
                             {"MPI_Allreduce", 3, 3},
                             {"MPI_Reduce", 3, 3},
                             {"MPI_Allgather", 7, 7},
                             {"MPI_Alltoallv", 7, 0.875},
                             {"MPI_Reduce_scatter", 7, 0.875},
                             {"MPI_Gatherv", 3, 7},
                             {"MPI_Scatter", 3, 7}}) {
    EXPECT_EQ(factor(usual_calls(usual.op), 8), usual.steps) << usual.op;
    EXPECT_EQ(factor(usual_bytes(usual.op), 8), usual.bytes) << usual.op;
    EXPECT_EQ(factor(plain_calls(usual.op), 8), 1) << usual.op;
    EXPECT_EQ(factor(plain_bytes(usual.op), 8), usual.plain_bytes) << usual.op;
  }
}

MpiRow row(const char* op, const char* op_class, int comm_size, double calls, double sent,
           double received, const char* caller = "") {
  MpiRow row;
  row.op = op;
  row.op_class = op_class;
  row.comm_size = comm_size;
  row.caller = caller;
  row.calls = static_cast<std::uint64_t>(calls);
  row.bytes_sent = static_cast<std::uint64_t>(sent);
  row.bytes_received = static_cast<std::uint64_t>(received);
  return row;
}

Experiment experiment_of(const std::vector<int>& counts,
                         const std::function<std::vector<MpiRow>(int procs)>& rows) {
  std::vector<RunProfile> runs;
  for (const int procs : counts) {
    synthetic::PlantedRun run;
    run.procs = procs;
    run.kernel_s = {{"work", 40.0 / procs}};
    runs.push_back(profile(run));
    runs.back().mpi = rows(procs);
  }
  return make_experiment(std::move(runs));
}

WeightedCounts on_parts(const Experiment& e) {
  return count_passed(e, std::vector<double>(e.points.size(), 1), {},
                      read_law_catalog(synthetic::fit_options().configs));
}

/// The receivers of a broadcast and its root often call it in different functions, so their calls
/// are in different rows of the MPI table.
TEST(OpCounts, BytesThatAnOperationReceivesDoNotCountIfItSendsSome) {
  const Experiment e = experiment_of({4, 8}, [](int p) {
    return std::vector<MpiRow>{row("MPI_Bcast", "rooted", p, 1, 1000, 0, "root"),
                               row("MPI_Bcast", "rooted", p, p - 1, 0, 1000 * (p - 1), "leaf"),
                               row("MPI_Recv", "p2p", p, 1, 0, 50)};
  });
  for (const CountModel& op : count_ops(e, {1, 1}))
    for (const FitPoint& point : op.bytes_points)
      EXPECT_EQ(point.value, op.op == "MPI_Bcast" ? 1000 : 50) << op.op;
}

TEST(OpCounts, CollectivesOfPartsCountByTheirSize) {
  // The 4 processes of each node reduce among themselves. In the runs with 1 and 4 processes, the
  // communicator contains all processes.
  const Experiment e = experiment_of({1, 4, 8, 16}, [](int p) {
    const int size = std::min(p, 4);
    return std::vector<MpiRow>{row("MPI_Allreduce", "collective", size, 100.0 * p, 800.0 * p, 0),
                               row("MPI_Reduce", "rooted", p, 10.0 * p, 80.0 * p, 0)};
  });
  const WeightedCounts passed = on_parts(e);
  ASSERT_EQ(passed.size(), 1u) << "MPI_Reduce is called by all processes";
  const CountModel& of = passed.at("MPI_Allreduce").front();
  EXPECT_NEAR(of.calls.value(64, 1), 2 * 100 * 64, 1e-6);
  EXPECT_NEAR(of.bytes.value(64, 1), 2 * 800 * 64, 1e-6);
}

TEST(OpCounts, CallsOfSingleProcessesHaveNoSteps) {
  const Experiment e = experiment_of({4, 8, 16}, [](int p) {
    return std::vector<MpiRow>{row("MPI_Barrier", "collective", 1, 1000.0 * p, 0, 0),
                               row("MPI_Barrier", "collective", p, 10.0 * p, 0, 0)};
  });
  const CountModel passed = on_parts(e).at("MPI_Barrier").front();
  EXPECT_NEAR(passed.calls_points[0].value, 10 * 4 * 2, 1e-9);
  EXPECT_NEAR(passed.calls.value(64, 1), 10 * 64 * 6, 1e-6);
  EXPECT_EQ(passed.bytes.value(64, 1), 0);
}

TEST(OpCounts, AFewCallsOfPartsDoNotMatter) {
  const Experiment e = experiment_of({4, 8, 16}, [](int p) {
    return std::vector<MpiRow>{row("MPI_Barrier", "collective", p / 2, 1.0 * p, 0, 0),
                               row("MPI_Barrier", "collective", p, 1000.0 * p, 0, 0)};
  });
  EXPECT_TRUE(on_parts(e).empty());
}

}  // namespace
}  // namespace apmt
