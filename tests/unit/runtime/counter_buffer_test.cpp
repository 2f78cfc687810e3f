// Tests of the buffer with a counter's overflow records. In place of the kernel, the test writes
// the records into memory that it shares with the buffer.
#include "profiler/sampler/counter_buffer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <fstream>
#include <utility>
#include <vector>

namespace apmt::sampler {
namespace {

using testing::ElementsAre;
using Visits = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

class Buffer : public testing::Test {
 protected:
  void SetUp() override {
    fd_ = memfd_create("counter", MFD_CLOEXEC);
    bytes_ = static_cast<std::size_t>(getpagesize()) * 3;
    ASSERT_EQ(ftruncate(fd_, static_cast<off_t>(bytes_)), 0);
    memory_ = static_cast<char*>(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0));
    ASSERT_TRUE(buffer_.map(fd_));
  }
  void TearDown() override {
    buffer_.unmap();
    munmap(memory_, bytes_);
    close(fd_);
  }

  /// Writes a record in the kernel's format: type and size in the first word, then its numbers.
  void write(std::uint32_t type, const std::vector<std::uint64_t>& numbers) {
    put(type | (8 * (1 + numbers.size())) << 48);
    for (const std::uint64_t number : numbers) put(number);
  }
  Visits visits() {
    Visits all;
    buffer_.visit_new([&](std::uint64_t ip, std::uint64_t n) { all.emplace_back(ip, n); });
    return all;
  }

  CounterBuffer buffer_;
  int fd_ = -1;

 private:
  void put(std::uint64_t word) {
    auto* page = reinterpret_cast<perf_event_mmap_page*>(memory_);
    const std::size_t page_bytes = static_cast<std::size_t>(getpagesize());
    std::memcpy(memory_ + page_bytes + page->data_head % (2 * page_bytes), &word, sizeof word);
    page->data_head += sizeof word;
  }

  std::size_t bytes_ = 0;
  char* memory_ = nullptr;
};

// Address 0 stands for the five lost overflows, which have no address, and for the latest overflow,
// whose address the signal's context shows more accurately.
TEST_F(Buffer, TellsEveryOverflowOnceAndLeavesThePlaceOfTheLatestToTheSignal) {
  write(PERF_RECORD_SAMPLE, {0x1111});
  write(PERF_RECORD_LOST, {7, 5});
  write(PERF_RECORD_SAMPLE, {0x2222});
  EXPECT_THAT(visits(), ElementsAre(std::pair(0x1111, 1), std::pair(0, 5), std::pair(0, 1)));
  EXPECT_THAT(visits(), ElementsAre());
}

TEST_F(Buffer, GoesRoundTheEnd) {
  for (int i = 0; i < 2000; ++i) {
    write(PERF_RECORD_SAMPLE, {0x1111});
    write(PERF_RECORD_SAMPLE, {0x2222});
    ASSERT_THAT(visits(), ElementsAre(std::pair(0x1111, 1), std::pair(0, 1))) << "turn " << i;
  }
}

TEST_F(Buffer, AddsUpHowLongTheCounterWasStopped) {
  write(PERF_RECORD_THROTTLE, {1000, 7, 7});
  write(PERF_RECORD_UNTHROTTLE, {5000, 7, 7});
  write(PERF_RECORD_SAMPLE, {0x1111});
  write(PERF_RECORD_THROTTLE, {9000, 7, 7});
  EXPECT_THAT(visits(), ElementsAre(std::pair(0x1111, 1)));
  EXPECT_EQ(buffer_.throttled_ns(), 4000u);
  write(PERF_RECORD_UNTHROTTLE, {12000, 7, 7});
  EXPECT_THAT(visits(), ElementsAre());
  EXPECT_EQ(buffer_.throttled_ns(), 7000u);
}

/// The case that is tested: an MPI wrapper has fetched the address of the buffer and is about to
/// read from it when a signal handler retires the buffer.
TEST_F(Buffer, StaysReadableWhenItIsRetired) {
  write(PERF_RECORD_SAMPLE, {0x1111});
  EXPECT_TRUE(buffer_.has_new());
  const volatile unsigned long long* const about_to_be_read = buffer_.written();
  EXPECT_EQ(*about_to_be_read, 16u);
  buffer_.retire();
  EXPECT_EQ(*about_to_be_read, 0u) << "nothing new";
  EXPECT_FALSE(buffer_.is_mapped());
  EXPECT_EQ(buffer_.written(), nullptr);
  EXPECT_FALSE(buffer_.has_new());
  EXPECT_EQ(buffer_.visited(), 0u);
  EXPECT_THAT(visits(), ElementsAre());
  ASSERT_TRUE(buffer_.map(fd_));
  EXPECT_TRUE(buffer_.has_new());
  EXPECT_EQ(*about_to_be_read, 0u) << "another buffer is in use, and this one can still be read";
}

/// Pages of this process's address space.
long pages_in_use() {
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages;
}

TEST_F(Buffer, RetiredOnesDoNotAddUp) {
  constexpr int kMany = 1000;
  constexpr long kPagesOfOne = 3;
  const long before = pages_in_use();
  for (int i = 0; i < kMany; ++i) {
    buffer_.retire();
    ASSERT_TRUE(buffer_.map(fd_));
  }
  EXPECT_LT(pages_in_use(), before + kMany);
  const long with_retired = pages_in_use();
  buffer_.unmap();
  EXPECT_LE(pages_in_use(), with_retired - 2 * kPagesOfOne) << "a thread that ends leaves nothing";
}

}  // namespace
}  // namespace apmt::sampler
