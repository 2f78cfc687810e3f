#include "pmpi-shim/core/request_table.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <set>
#include <thread>
#include <vector>

namespace apmt::shim {
namespace {

struct Value {
  uint64_t number;
  uint64_t twice;  // shows whether a value was read half-written
};
constexpr uint32_t kCapacity = 1024;
using Table = RequestTable<Value, kCapacity>;

uint64_t key_of(int handle) { return handle_key(HandleKind::kRequest, handle); }
auto value_of(uint64_t number) {
  return [number](Value& value) { value = {number, 2 * number}; };
}

/// Ends the request that was added last under the key and returns its number, or -1 if there is
/// none.
int64_t end_last(Table& table, uint64_t key) {
  Value value;
  while (const Table::Ref open = table.find(key)) {
    if (!table.end(key, open, &value)) continue;
    EXPECT_EQ(value.twice, 2 * value.number);
    return static_cast<int64_t>(value.number);
  }
  return -1;
}

class RequestTableTest : public ::testing::TestWithParam<bool> {
 protected:
  RequestTableTest() {
    if (GetParam()) table_->share();
  }
  std::unique_ptr<Table> table_ = std::make_unique<Table>(Table{});
};
INSTANTIATE_TEST_SUITE_P(AloneAndShared, RequestTableTest, ::testing::Bool());

TEST_P(RequestTableTest, EachEndsOnce) {
  ASSERT_TRUE(table_->add(key_of(1), value_of(11)));
  ASSERT_TRUE(table_->add(key_of(2), value_of(22)));
  EXPECT_FALSE(table_->find(key_of(3)));
  EXPECT_EQ(table_->value(table_->find(key_of(1))).number, 11u);
  EXPECT_EQ(end_last(*table_, key_of(2)), 22);
  EXPECT_EQ(end_last(*table_, key_of(2)), -1);
  EXPECT_EQ(end_last(*table_, key_of(1)), 11);
}

// MPICH may give the same handle to any number of requests. The table must hold them up to its
// capacity.
TEST_P(RequestTableTest, OneHandleMayStandForAllRequests) {
  for (uint64_t i = 0; i < kCapacity; ++i) ASSERT_TRUE(table_->add(key_of(9), value_of(i))) << i;
  EXPECT_FALSE(table_->add(key_of(9), value_of(0)));
  EXPECT_FALSE(table_->add(key_of(8), value_of(0)));
  std::set<int64_t> ended;
  for (uint32_t i = 0; i < kCapacity; ++i) ended.insert(end_last(*table_, key_of(9)));
  EXPECT_EQ(ended.size(), kCapacity);
  EXPECT_EQ(*ended.begin(), 0);
  EXPECT_FALSE(table_->find(key_of(9)));
  EXPECT_TRUE(table_->add(key_of(8), value_of(0)));
}

// MPI reuses the handle between the look-up of the first request and its end.
TEST_P(RequestTableTest, WhatWasFoundBeforeIsEndedAndNotItsSuccessor) {
  ASSERT_TRUE(table_->add(key_of(5), value_of(1)));
  const Table::Ref first = table_->find(key_of(5));
  ASSERT_TRUE(table_->add(key_of(5), value_of(2)));
  Value value;
  ASSERT_TRUE(table_->end(key_of(5), first, &value));
  EXPECT_EQ(value.number, 1u);
  EXPECT_FALSE(table_->end(key_of(5), first, &value));
  EXPECT_EQ(end_last(*table_, key_of(5)), 2);
  EXPECT_EQ(end_last(*table_, key_of(5)), -1);
  // `first` must not end a later request in the same slot either.
  ASSERT_TRUE(table_->add(key_of(5), value_of(3)));
  EXPECT_FALSE(table_->end(key_of(5), first, &value));
  EXPECT_EQ(end_last(*table_, key_of(5)), 3);
}

TEST_P(RequestTableTest, HandlesThatNeverComeAgainLeaveNothingBehind) {
  for (int handle = 0; handle < 200000; ++handle) {
    ASSERT_TRUE(table_->add(key_of(handle), value_of(static_cast<uint64_t>(handle)))) << handle;
    ASSERT_EQ(end_last(*table_, key_of(handle)), handle);
  }
  for (int handle = 0; handle < static_cast<int>(kCapacity); ++handle)
    ASSERT_TRUE(table_->add(key_of(handle), value_of(0))) << handle;
}

TEST(RequestTable, ThreadsWithHandlesInCommonEndEachRequestOnce) {
  constexpr int kThreads = 4, kRounds = 20000, kAtOnce = 8;
  auto table = std::make_unique<Table>(Table{});
  table->share();
  std::vector<std::atomic<int>> ended(kThreads * kRounds);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&table, &ended, t] {
      for (int round = 0; round < kRounds; round += kAtOnce) {
        for (int i = 0; i < kAtOnce; ++i)  // several requests under each handle
          ASSERT_TRUE(
              table->add(key_of(i % 4), value_of(static_cast<uint64_t>(t * kRounds + round + i))));
        for (int i = 0; i < kAtOnce; ++i) {
          const int64_t number = end_last(*table, key_of(i % 4));
          ASSERT_GE(number, 0);
          ++ended[static_cast<size_t>(number)];
        }
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::atomic<int>& times : ended) ASSERT_EQ(times, 1);
}

// Both threads add a request under the same new handle at the same time, so both look for a slot
// that was never used.
TEST(RequestTable, ThreadsThatUseANewHandleAtTheSameTimeBothFindASlot) {
  constexpr int kTables = 4000, kHandles = 256;
  for (int i = 0; i < kTables; ++i) {
    auto table = std::make_unique<Table>(Table{});
    table->share();
    std::atomic<int> arrived = 0, refused = 0;
    const auto add_all = [&] {
      for (int handle = 0; handle < kHandles; ++handle) {
        ++arrived;
        while (arrived < 2 * (handle + 1)) std::this_thread::yield();
        if (!table->add(key_of(handle), value_of(0))) ++refused;
      }
    };
    std::thread other(add_all);
    add_all();
    other.join();
    ASSERT_EQ(refused, 0) << "table " << i;
    Value value;
    for (int handle = 0; handle < kHandles; ++handle)
      for (int thread = 0; thread < 2; ++thread)
        ASSERT_TRUE(table->end(key_of(handle), table->find(key_of(handle)), &value)) << handle;
  }
}

}  // namespace
}  // namespace apmt::shim
