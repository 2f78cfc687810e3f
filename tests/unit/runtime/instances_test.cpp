// Tests of the table of synchronising collectives. When more than half of a rank's table is used,
// the rank raises its thinning level, and removes the calls that the new level does not keep. Ranks
// may reach different levels, but must keep calls in common: a call that is kept at the highest
// level of any rank must be in the tables of all ranks that took part in it.
#include "profiler/runtime/instances.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace apmt::rt {
namespace {

using format::Instance;
using format::Section;

struct Rank {
  explicit Rank(std::uint64_t capacity)
      : table(capacity),
        section{format::SectionKind::kInstances, sizeof(Instance), 0, capacity, 0, 0} {}
  void collective(std::uint64_t number, std::uint64_t time_ns) {
    keep_instance(table.data(), section, level, {mix(number) | 2, 7, time_ns});
  }
  std::set<std::uint64_t> keys(std::uint32_t at_level) const {
    std::set<std::uint64_t> found;
    for (const Instance& i : table)
      if (i.key > format::kInstanceBusy && format::survives_thinning(i.key, at_level))
        found.insert(i.key);
    return found;
  }
  std::vector<Instance> table;
  Section section;
  std::uint32_t level = 0;
};

TEST(Instances, FewAreAllKept) {
  Rank rank(64);
  for (std::uint64_t n = 1; n <= 30; ++n) rank.collective(n, 10 * n);
  EXPECT_EQ(rank.level, 0u);
  EXPECT_EQ(rank.section.used, 30u);
  EXPECT_EQ(rank.section.dropped, 0u);
  std::uint64_t sum = 0;
  for (const Instance& i : rank.table) sum += i.time_ns;
  EXPECT_EQ(sum, 10u * 30 * 31 / 2);
}

TEST(Instances, RanksThatThinnedDifferentlyKeepTheSameAtTheHigherLevel) {
  Rank busy(256), idle(256);
  for (std::uint64_t n = 1; n <= 3000; ++n) {
    busy.collective(n, 1);
    idle.collective(n, 2);
  }
  for (std::uint64_t n = 1; n <= 40000; ++n) busy.collective(1000000 + n, 1);  // not by `idle`
  ASSERT_GT(busy.level, idle.level);
  ASSERT_GT(idle.level, 0u);
  std::set<std::uint64_t> common;
  for (const std::uint64_t key : busy.keys(busy.level))
    if (idle.keys(0).count(key) > 0) common.insert(key);
  EXPECT_EQ(common, idle.keys(busy.level)) << "both ranks have all entries of the higher level";
  EXPECT_FALSE(common.empty());
  EXPECT_EQ(busy.section.dropped, 0u);
}

TEST(Instances, TheTableIsNeverFullAndCountsItself) {
  Rank rank(256);
  for (std::uint64_t n = 1; n <= 100000; ++n) rank.collective(n, 1);
  EXPECT_EQ(rank.keys(0).size(), rank.section.used);
  EXPECT_LE(rank.section.used, 128u);
  EXPECT_GE(rank.section.used, 30u);
  EXPECT_EQ(rank.keys(rank.level), rank.keys(0)) << "entries below the level are removed at once";
}

TEST(TimeBins, EveryDurationLiesInItsBin) {
  for (std::uint32_t bin = 1; bin < format::kTimeBins; ++bin) {
    EXPECT_EQ(format::time_bin(format::time_bin_begin(bin)), bin);
    EXPECT_EQ(format::time_bin(format::time_bin_begin(bin) - 1), bin - 1);
  }
  EXPECT_EQ(format::time_bin(0), 0u);
  EXPECT_EQ(format::time_bin(~std::uint64_t{0}), format::kTimeBins - 1);
}

}  // namespace
}  // namespace apmt::rt
