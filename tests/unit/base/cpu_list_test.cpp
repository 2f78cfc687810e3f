#include "base/cpu_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace apmt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CpuList, NumbersAndRanges) {
  EXPECT_THAT(parse_cpu_list("0-2,8\n"), ElementsAre(0, 1, 2, 8));
  EXPECT_THAT(parse_cpu_list("\t0"), ElementsAre(0));
  EXPECT_THAT(parse_cpu_list("5"), ElementsAre(5));
  EXPECT_THAT(parse_cpu_list(""), IsEmpty());
  EXPECT_THAT(parse_cpu_list("x"), IsEmpty());
}

TEST(CpuList, ADamagedListFillsNoMemory) {
  EXPECT_THAT(parse_cpu_list("65535-999999999999"), ElementsAre(65535, 65536));
  EXPECT_THAT(parse_cpu_list("3-"), IsEmpty());
  EXPECT_THAT(parse_cpu_list("7,4-2,9;11"), ElementsAre(7, 9));
}

}  // namespace
}  // namespace apmt
