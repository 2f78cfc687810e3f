#include "profiler/simulated/window.h"

#include <gtest/gtest.h>

namespace apmt {
namespace {

RunProfile with_calls(const std::vector<std::tuple<std::string, std::string, std::uint64_t>>& ops,
                      int procs = 4) {
  RunProfile p;
  p.config.procs = procs;
  for (const auto& [op, op_class, calls] : ops) {
    MpiRow row;
    row.op = op;
    row.op_class = op_class;
    row.calls = calls;
    p.mpi.push_back(row);
  }
  return p;
}

TEST(Window, CountsRoundsByTheRarestOperationThatRecurs) {
  // Calls per rank: 200 of Waitall, 100 of Allreduce (in two rows), 2 of Bcast.
  const auto window = choose_window(with_calls({{"MPI_Waitall", "completion", 800},
                                                {"MPI_Allreduce", "collective", 100},
                                                {"MPI_Allreduce", "collective", 300},
                                                {"MPI_Bcast", "rooted", 8}}),
                                    3);
  ASSERT_TRUE(window);
  EXPECT_EQ(window->text(), "MPI_Allreduce:10:13");
  EXPECT_DOUBLE_EQ(window->share(), 0.03);
}

TEST(Window, NeverHoldsMoreThanAFifthOfTheRun) {
  const auto ops = with_calls({{"MPI_Allreduce", "collective", 4 * 20}});
  EXPECT_TRUE(choose_window(ops, 3));
  EXPECT_FALSE(choose_window(ops, 4));
}

TEST(Window, OperationsThatRanksCallDifferentlyOftenMarkNothing) {
  EXPECT_FALSE(choose_window(with_calls({{"MPI_Send", "p2p", 401}}), 3));
  EXPECT_FALSE(choose_window(with_calls({{"MPI_Comm_rank", "other", 400}}), 3));
  EXPECT_FALSE(choose_window(with_calls({}), 3));
}

}  // namespace
}  // namespace apmt
