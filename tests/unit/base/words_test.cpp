#include "base/words.h"

#include <gtest/gtest.h>

namespace apmt {
namespace {

TEST(Words, GoByTheNumber) {
  EXPECT_EQ(counted(0, "rank"), "0 ranks");
  EXPECT_EQ(counted(1, "rank"), "1 rank");
  EXPECT_EQ(counted(2u, "process", "processes"), "2 processes");
  EXPECT_EQ(counted_of(1, 2, "rank", "was", "were"), "1 of 2 ranks was");
  EXPECT_EQ(counted_of(2, 2, "rank", "was", "were"), "2 of 2 ranks were");
  EXPECT_EQ(counted_of(1, 1, "rank", "was", "were"), "1 of 1 rank was");
  EXPECT_EQ(how_many_of(1, 4, "rank"), "1 of 4 ranks");
  EXPECT_EQ(how_many_of(4, 4, "rank"), "all 4 ranks");
  EXPECT_EQ(how_many_of(1, 1, "rank"), "the only rank");
}

}  // namespace
}  // namespace apmt
