// Tests of dividing callgrind's counts of one process by rank: all ranks of a simulated cluster are
// in one process, each with its own copy of the program.
#include "profiler/simulated/copies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/atomic_file.h"
#include "base/temporary_folder.h"

namespace apmt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ByCopy, WhatWasCountedInARanksCopyIsThatRanks) {
  CallgrindProfile all;
  all.ranks = 12;
  all.events = {"Ir", "Dr"};
  all.costs[{"/tmp/my_app_77_0.so", "solve", "/src/a.c"}] = {10, 1};
  all.costs[{"/tmp/my_app_77_0.so", "init", "/src/a.c"}] = {5, 2};
  all.costs[{"/tmp/my_app_77_11.so", "solve", "/src/a.c"}] = {20, 3};
  for (const char* other :
       {"/lib/libm.so.6", "/bin/my_app", "/tmp/my_app_77_12.so", "/tmp/my_app_77_x.so",
        "/tmp/my_app_77_-1.so", "/tmp/my_app_77_1.so.1", "/tmp/an_app_77_1.so", "/tmp/my_app_1.so"})
    all.costs[{other, "solve", ""}] = {1000, 1000};
  const std::vector<CallgrindProfile> ranks = by_copy(all, "program", "my_app");
  ASSERT_EQ(ranks.size(), 12u);
  for (int r = 0; r < 12; ++r) {
    EXPECT_EQ(ranks[static_cast<std::size_t>(r)].rank, r);
    EXPECT_EQ(ranks[static_cast<std::size_t>(r)].ranks, 12);
  }
  EXPECT_THAT(ranks[0].totals, ElementsAre(15, 3));
  EXPECT_THAT(ranks[0].costs.at({"program", "solve", "/src/a.c"}), ElementsAre(10, 1));
  EXPECT_THAT(ranks[11].costs.at({"program", "solve", "/src/a.c"}), ElementsAre(20, 3));
  EXPECT_THAT(ranks[1].costs, IsEmpty());
  EXPECT_THAT(ranks[1].totals, ElementsAre(0, 0));
}

TEST(ByCopy, ADumpOfAllRanksSaysSo) {
  TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "1.callgrind.1";
  write_file_atomically(file,
                        "desc: Trigger: Client Request: apmt all of 3 ranks\n\n"
                        "positions: line\nevents: Ir\n"
                        "ob=(1) /tmp/app_5_2.so\nfl=(1) a.c\nfn=(1) solve\n29 6\n\ntotals: 6\n");
  const CallgrindProfile read = read_callgrind_file(file);
  EXPECT_TRUE(read.is_of_all_ranks);
  EXPECT_EQ(read.ranks, 3);
  EXPECT_THAT(by_copy(read, "app", "app")[2].totals, ElementsAre(6));
}

}  // namespace
}  // namespace apmt
