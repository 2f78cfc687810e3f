// Tests of how much of the time in broadcasts and reductions was waiting.
#include <gtest/gtest.h>

#include "fitter/runs/message_costs.h"

namespace apmt {
namespace {

/// A run of `procs` ranks with 80 broadcasts of one size. Of these calls, which take 1 s in all, a
/// tenth take at most `low_s`.
RunProfile broadcasts(int procs, int size_class, double low_s, const char* op = "MPI_Bcast") {
  MpiRow row;
  row.op = op;
  row.op_class = "rooted";
  row.comm_size = procs;
  row.size_class = size_class;
  row.calls = 80;
  row.time_s = row.blocked_s = 1;
  MpiOperation operation;
  operation.op = op;
  operation.op_class = "rooted";
  operation.comm_size = procs;
  operation.size_class = size_class;
  operation.low_s = low_s;
  RunProfile run;
  run.config.procs = procs;
  run.mpi = {row};
  run.communication.operations = {operation};
  return run;
}

double waited_s(const std::vector<RunProfile>& runs) {
  return MessageCosts(runs).waited_s(runs.front()).front();
}

TEST(TreeCosts, ABroadcastCostsTheHopsOfATree) {
  RunProfile run = broadcasts(8, 4, 1e-4);
  EXPECT_NEAR(waited_s({run}), 1 - 80 * (1 + 3) * 3e-4, 1e-12);
  run.communication.pattern.kind = "master-worker";
  EXPECT_NEAR(waited_s({run}), 1 - 80 * (1 + 3) * 3e-4, 1e-12) << "a hub handles messages only";
  EXPECT_EQ(waited_s({broadcasts(8, 4, 0.01)}), 0) << "the time is no more than that of the hops";
  EXPECT_EQ(waited_s({broadcasts(1, 4, 1e-4)}), 0) << "there is nobody else to wait for";
  EXPECT_EQ(waited_s({broadcasts(8, 4, 1e-4, "MPI_Gather")}), 0);
}

TEST(TreeCosts, AHopCostsTheSameInEveryRunAndNoMoreThanALargerOne) {
  const RunProfile run = broadcasts(8, 4, 1e-4);
  const double with_quicker_hops_s = 1 - 80 * 4 * 3e-5;
  EXPECT_NEAR(waited_s({run, broadcasts(2, 4, 1e-5)}), with_quicker_hops_s, 1e-12);
  EXPECT_NEAR(waited_s({run, broadcasts(2, 9, 1e-5)}), with_quicker_hops_s, 1e-12);
  EXPECT_NEAR(waited_s({run, broadcasts(2, 3, 1e-5)}), 1 - 80 * 4 * 3e-4, 1e-12);
}

TEST(TreeCosts, HopsInsideANodeSayNothingOfHopsBetweenNodes) {
  RunProfile run = broadcasts(8, 4, 1e-4);
  run.config.nodes = 2;
  EXPECT_NEAR(waited_s({run, broadcasts(2, 4, 1e-5)}), 1 - 80 * 4 * 3e-4, 1e-12);
}

/// If a root is late for its only broadcast, all other calls are slow. Its own call is quick.
TEST(TreeCosts, AHopIsNotMuchSlowerThanTheQuickestCall) {
  RunProfile run = broadcasts(32, 4, 0.01);
  run.mpi.front().min_s = 1e-5;
  EXPECT_NEAR(waited_s({run}), 1 - 80 * (1 + 5) * 1e-4, 1e-9);
  run.communication.operations.front().low_s.reset();
  EXPECT_NEAR(waited_s({run}), 1 - 80 * (1 + 5) * 1e-4, 1e-9);
}

TEST(TreeCosts, OfOversubscribedRunsSayNothing) {
  RunProfile quick = broadcasts(2, 4, 1e-5);
  quick.config.oversubscribed = true;
  EXPECT_NEAR(waited_s({broadcasts(8, 4, 1e-4), quick}), 1 - 80 * 4 * 3e-4, 1e-12);
}

}  // namespace
}  // namespace apmt
