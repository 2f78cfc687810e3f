#include "pmpi-shim/core/handle_table.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace apmt::shim {
namespace {

struct Entry {
  uint64_t key;
  uint64_t value;
};
using Table = HandleTable<Entry, 256>;

uint64_t key_of(int handle) { return handle_key(HandleKind::kRequest, handle); }

bool put(Table& table, uint64_t key, uint64_t value) {
  Entry* slot = table.claim(key);
  if (slot == nullptr) return false;
  slot->value = value;
  table.publish(*slot, key);
  return true;
}

class HandleTableTest : public ::testing::Test {
 protected:
  std::unique_ptr<Table> table_ = std::make_unique<Table>(Table{});
};

TEST_F(HandleTableTest, FindsWhatWasPutAndNothingElse) {
  EXPECT_EQ(table_->find(key_of(1)), nullptr);
  ASSERT_TRUE(put(*table_, key_of(1), 11));
  ASSERT_TRUE(put(*table_, key_of(2), 22));
  ASSERT_NE(table_->find(key_of(1)), nullptr);
  EXPECT_EQ(table_->find(key_of(1))->value, 11u);
  EXPECT_EQ(table_->find(key_of(2))->value, 22u);
  EXPECT_EQ(table_->find(key_of(3)), nullptr);
}

TEST_F(HandleTableTest, KindsWithEqualHandlesAreApart) {
  ASSERT_TRUE(put(*table_, handle_key(HandleKind::kComm, 7), 1));
  EXPECT_EQ(table_->find(handle_key(HandleKind::kType, 7)), nullptr);
}

TEST_F(HandleTableTest, ZeroIsAHandleToo) {
  ASSERT_TRUE(put(*table_, key_of(0), 5));
  ASSERT_NE(table_->find(key_of(0)), nullptr);
}

TEST_F(HandleTableTest, RemovedHandlesAreForgottenAndMayComeAgain) {
  for (uint64_t round = 0; round < 10000; ++round) {
    ASSERT_TRUE(put(*table_, key_of(3), round));
    Entry* entry = table_->find(key_of(3));
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(entry->value, round);
    EXPECT_TRUE(table_->remove(*entry, key_of(3)));
    EXPECT_FALSE(table_->remove(*entry, key_of(3)));
    EXPECT_EQ(table_->find(key_of(3)), nullptr);
  }
}

TEST_F(HandleTableTest, OneHandleMayStandForSeveralRequests) {
  for (uint64_t i = 0; i < 5; ++i) ASSERT_TRUE(put(*table_, key_of(9), i));
  for (int i = 0; i < 5; ++i) {
    Entry* entry = table_->find(key_of(9));
    ASSERT_NE(entry, nullptr);
    EXPECT_TRUE(table_->remove(*entry, key_of(9)));
  }
  EXPECT_EQ(table_->find(key_of(9)), nullptr);
}

TEST_F(HandleTableTest, AFullTableSaysSoAndKeepsWhatItHas) {
  int kept = 0;
  for (int i = 0; i < 1000; ++i) kept += put(*table_, key_of(i), static_cast<uint64_t>(i));
  EXPECT_GT(kept, 128);
  EXPECT_LE(kept, 256);
  int found = 0;
  for (int i = 0; i < 1000; ++i) {
    const Entry* entry = table_->find(key_of(i));
    if (entry == nullptr) continue;
    ++found;
    EXPECT_EQ(entry->value, static_cast<uint64_t>(i));
  }
  EXPECT_EQ(found, kept);
}

TEST_F(HandleTableTest, ThreadsDoNotLoseEachOthersHandles) {
  constexpr int kThreads = 4, kRounds = 20000;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([this, t, &wrong] {
      for (int round = 0; round < kRounds; ++round) {
        const uint64_t key = key_of(t * 8 + round % 8),
                       value = static_cast<uint64_t>(t * kRounds + round);
        if (!put(*table_, key, value)) ++wrong;
        Entry* entry = table_->find(key);
        if (entry == nullptr || entry->value != value || !table_->remove(*entry, key)) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace apmt::shim
