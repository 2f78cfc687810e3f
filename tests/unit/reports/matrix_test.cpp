#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/html_pieces.h"
#include "reports/sections.h"
#include "tests/unit/reports/examples.h"

namespace apmt {
namespace {

using ::testing::HasSubstr;

RunProfile run_with(int ranks, std::vector<PeerRow> peers) {
  RunProfile run = example::run(1);
  run.config.procs = ranks;
  run.peers = std::move(peers);
  return run;
}

TEST(Matrix, EachShadeIsAQuarterOfTheNext) {
  const MatrixChart chart = matrix_chart(run_with(4, {{0, 1, 1, 1600},
                                                      {1, 2, 1, 1600 / 4},
                                                      {2, 3, 1, 1600 / 16 - 1},
                                                      {3, 0, 1, 1},
                                                      {3, 1, 1, 0}}))
                                .value();
  ASSERT_EQ(chart.cells.size(), 4u) << "nothing sent, nothing drawn";
  EXPECT_EQ(chart.ranks_per_cell, 1);
  EXPECT_EQ(chart.cells[0].level, 7);
  EXPECT_EQ(chart.cells[1].level, 6);
  EXPECT_EQ(chart.cells[2].level, 5);
  EXPECT_EQ(chart.cells[3].level, 2);
  EXPECT_EQ(chart.most_bytes, 1600);
}

TEST(Matrix, ManyRanksShareCells) {
  std::vector<PeerRow> peers;
  for (int rank = 0; rank < 1024; ++rank) peers.push_back({rank, (rank + 1) % 1024, 1, 8});
  const MatrixChart chart = matrix_chart(run_with(1024, peers)).value();
  EXPECT_EQ(chart.ranks_per_cell, 8);
  EXPECT_EQ(chart.cells.size(), 256u) << "on the diagonal and beside it";
  EXPECT_THAT(chart.description, HasSubstr("8 x 8 ranks"));
  EXPECT_LT(html_matrix_chart(chart).size(), 10000u);
}

TEST(Matrix, StaysSmallWhenEverybodySendsToEverybody) {
  std::vector<PeerRow> peers;
  for (int from = 0; from < 256; ++from)
    for (int to = 0; to < 256; ++to) peers.push_back({from, to, 1, 8});
  const std::string html = html_matrix_chart(matrix_chart(run_with(256, peers)).value());
  EXPECT_LT(html.size(), 400000u);
  EXPECT_THAT(html, HasSubstr("viewBox=\"0 0 128 128\""));
}

TEST(Matrix, IsAbsentWithoutMessages) {
  EXPECT_FALSE(matrix_chart(run_with(4, {})));
  EXPECT_FALSE(matrix_chart(run_with(1, {{0, 0, 1, 8}})));
  EXPECT_FALSE(matrix_chart(run_with(2, {{0, 1, 5, 0}})));
}

}  // namespace
}  // namespace apmt
