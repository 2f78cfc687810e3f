// Tests of the tables in which analysers count.
#include <gtest/gtest.h>

#include <cmath>
#include <list>
#include <random>

#include "kernels/analysers/address_counts.h"
#include "kernels/analysers/branch_windows.h"
#include "kernels/analysers/distinct_sketch.h"
#include "kernels/analysers/level_counts.h"
#include "kernels/analysers/log_histogram.h"
#include "kernels/analysers/lru_stack.h"

namespace apmt::kernels {
namespace {

TEST(LogHistogram, BinsCoverEveryNumberOnce) {
  LogHistogram h;
  std::uint64_t n = 0;
  std::vector<std::uint64_t> numbers;
  for (; n < 5000; ++n) numbers.push_back(n);
  for (n = 5000; n < std::uint64_t{1} << 62; n += n / 20) numbers.push_back(n);
  for (const std::uint64_t number : numbers) h.add(number);
  std::size_t i = 0;
  std::uint64_t end = 0;
  for (const LogHistogram::Bin& bin : h.bins()) {
    ASSERT_GE(bin.from, end);
    end = bin.to + 1;
    if (bin.from < 4096) {
      ASSERT_EQ(bin.from, bin.to);
    }
    ASSERT_LE(static_cast<double>(bin.to - bin.from), static_cast<double>(bin.from) / 64);
    for (std::uint64_t k = 0; k < bin.count; ++k, ++i) {
      ASSERT_GE(numbers[i], bin.from);
      ASSERT_LE(numbers[i], bin.to);
    }
  }
  EXPECT_EQ(i, numbers.size());
}

TEST(LogHistogram, Median) {
  LogHistogram h;
  EXPECT_EQ(h.median(), 0);
  for (const std::uint64_t number : {7, 1, 9, 3}) h.add(number);
  EXPECT_EQ(h.median(), 5);
  h.add(9);
  EXPECT_EQ(h.median(), 7);
}

TEST(Shadow, NeighboursAreNeverTakenForOne) {
  Shadow<std::uint32_t> shadow(2);
  const auto set = [&](std::uint64_t address, std::uint64_t bytes, std::uint32_t to) {
    shadow.each(address, bytes, [&](std::uint32_t& row) { row = to; });
  };
  const auto get = [&](std::uint64_t address, std::uint64_t bytes) {
    std::vector<std::uint32_t> rows;
    shadow.each(address, bytes, [&](std::uint32_t row) { rows.push_back(row); });
    return rows;
  };
  set(4096, 8, 5);
  EXPECT_EQ(get(4096, 12), (std::vector<std::uint32_t>{5, 5, 0}));
  set(4097, 1, 7);  // from here on the page has one row per byte
  EXPECT_EQ(get(4096, 9), (std::vector<std::uint32_t>{5, 7, 5, 5, 5, 5, 5, 5, 0}));
  set(65532, 8, 3);  // across two pages, one of which has rows of four bytes
  EXPECT_EQ(get(65536, 8), (std::vector<std::uint32_t>{3, 0}));
  EXPECT_EQ(get(65532, 4), (std::vector<std::uint32_t>{3, 3, 3, 3}));
}

TEST(Shadow, CountsStayAtTheAddressWhereTheyAre) {
  Shadow<std::uint32_t> counts(2);
  ++counts.exactly_at(8);
  ++counts.exactly_at(9);
  ++counts.exactly_at(8);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> found;
  counts.all([&](std::uint64_t address, std::uint32_t n) {
    if (n > 0) found.push_back({address, n});
  });
  EXPECT_EQ(found, (std::vector<std::pair<std::uint64_t, std::uint32_t>>{{8, 2}, {9, 1}}));
}

TEST(Shadow, KeepsToItsLimitAndSaysSo) {
  Shadow<std::uint32_t> shadow(2, std::uint64_t{2} << 20);
  for (std::uint64_t page = 0; page < 100; ++page) shadow.at(page << 16) = 1;
  EXPECT_LE(shadow.bytes(), std::uint64_t{2} << 20);
  EXPECT_TRUE(shadow.overflowed());
  EXPECT_EQ(shadow.at(0), 1u);
  shadow.clear();
  EXPECT_FALSE(shadow.overflowed());
  EXPECT_EQ(shadow.at(0), 0u);
}

/// In this test, the bit vector of the stack is compacted many times, and distances lie within a
/// word of bits, within a block and across many blocks.
TEST(LruStack, AgreesWithAList) {
  std::mt19937 random(3);
  for (const std::uint64_t lines : {3, 100, 700, 3000}) {
    LruStack stack(512);
    std::list<std::uint64_t> list;
    for (int i = 0; i < 20000; ++i) {
      const std::uint64_t line =
          i % 3 == 0 ? random() % lines : static_cast<std::uint64_t>(i) % lines;
      std::uint64_t distance = 0;
      auto at = list.begin();
      while (at != list.end() && *at != line) ++at, ++distance;
      if (at == list.end())
        distance = LruStack::kCold;
      else
        list.erase(at);
      list.push_front(line);
      ASSERT_EQ(stack.access(line * 64 + 8), distance) << i << " of " << lines;
    }
    EXPECT_EQ(stack.lines(), list.size());
  }
}

TEST(LevelCounts, MergesNeighboursWhenRowsRunOut) {
  LevelCounts counts(4);
  for (const std::uint64_t level : {1, 2, 3, 4, 4, 5, 6, 9}) counts.add(level, 10);
  EXPECT_EQ(counts.depth(), 9u);
  EXPECT_EQ(counts.operations(), 80u);
  EXPECT_EQ(counts.levels_per_row(), 4u);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> rows;
  counts.each([&](std::uint64_t operations, std::uint64_t levels) {
    rows.push_back({operations, levels});
  });
  EXPECT_EQ(rows,
            (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{50, 4}, {20, 4}, {10, 1}}));
  counts.clear();
  counts.add(1, 1);
  EXPECT_EQ(counts.levels_per_row(), 1u);
}

TEST(LevelCounts, ALevelHoldsMoreThanFourThousandMillions) {
  LevelCounts counts;
  counts.add(1, 0xffffffff);
  counts.add(1, 0xffffffff);
  std::uint64_t found = 0;
  counts.each([&](std::uint64_t operations, std::uint64_t) { found = operations; });
  EXPECT_EQ(found, std::uint64_t{0x1fffffffe});
}

TEST(AddressCounts, ACountThatIsFullSaysSo) {
  AddressCounts counts;
  counts.read(64, 0xfffffffe);
  counts.read(64);
  EXPECT_TRUE(counts.is_complete());
  EXPECT_EQ(counts.summary().reads, 0xffffffffu);
  counts.read(64);
  EXPECT_FALSE(counts.is_complete());
  EXPECT_EQ(counts.summary().reads, 0xffffffffu);
  counts.clear();
  EXPECT_TRUE(counts.is_complete());
}

/// Beyond the limit of memory, a part of the pages is counted.
TEST(AddressCounts, EstimatesBeyondItsLimit) {
  constexpr std::uint64_t kPages = 3000, kPage = 1 << 16, kEach = 64;
  const auto counted = [](std::uint64_t limit_bytes) {
    AddressCounts counts(limit_bytes);
    for (std::uint64_t page = 0; page < kPages; ++page) {
      counts.access(page * kPage, 512, kEach, true, false);
      for (std::uint64_t i = 0; i < kEach / 4; ++i) counts.write(page * kPage + 1024 * i);
    }
    EXPECT_LE(counts.bytes(), limit_bytes);
    const AddressCounts::Summary summary = counts.summary();
    EXPECT_EQ(summary.reads, kPages * kEach);
    EXPECT_EQ(summary.writes, kPages * kEach / 4);
    EXPECT_EQ(counts.is_complete(), summary.unique == kPages * kEach && limit_bytes > 1u << 30);
    return summary;
  };
  const AddressCounts::Summary exact = counted(std::uint64_t{2} << 30);
  EXPECT_EQ(exact.unique, kPages * kEach);
  // The limit has room for the counts of some 250 to 500 pages (128 KiB each): a standard error of
  // at most 6.3 %.
  const AddressCounts::Summary some = counted(64 << 20);
  const auto ratio = [](std::uint64_t a, std::uint64_t b) {
    return static_cast<double>(a) / static_cast<double>(b);
  };
  for (const auto number :
       {&AddressCounts::Summary::unique, &AddressCounts::Summary::unique_reads,
        &AddressCounts::Summary::unique_writes, &AddressCounts::Summary::unique_90})
    EXPECT_NEAR(ratio(some.*number, exact.*number), 1, 3 * 0.063);
  EXPECT_NEAR(some.entropy, exact.entropy, 0.3);
  ASSERT_EQ(some.local_entropies.size(), exact.local_entropies.size());
  for (std::size_t i = 0; i < some.local_entropies.size(); ++i)
    EXPECT_NEAR(some.local_entropies[i], exact.local_entropies[i], 0.3);
}

TEST(DistinctSketch, IsAsExactAsItSays) {
  for (const double n : {1.0, 10.0, 100.0, 1000.0, 3000.0, 1e5, 1e6}) {
    double squares = 0;
    constexpr int kTrials = 8;
    for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
      DistinctSketch sketch;
      for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(n); ++i) {
        sketch.add(trial << 40 | i);
        sketch.add(trial << 40 | i);
      }
      squares += std::pow(sketch.estimate() / n - 1, 2);
    }
    EXPECT_LT(std::sqrt(squares / kTrials), 2 * 0.033) << n;
  }
}

TEST(BranchWindows, OfAlternatingAndConstantOutcomes) {
  BranchWindows constant, alternating, few;
  for (int i = 0; i < 100; ++i) constant.add(true), alternating.add(i % 2 == 0);
  for (int i = 0; i < 15; ++i) few.add(true);
  EXPECT_EQ(constant.windows(), 85u);
  EXPECT_EQ(constant.yokota(), 0);
  EXPECT_EQ(constant.linear_sum(), 0);
  EXPECT_EQ(alternating.yokota(), 1);  // two windows, each half taken
  EXPECT_EQ(alternating.linear_sum(), 85);
  EXPECT_EQ(few.windows(), 0u);
  EXPECT_EQ(few.outcomes(), 15u);
}

}  // namespace
}  // namespace apmt::kernels
