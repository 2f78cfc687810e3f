// Counts reads and writes of each address, and derives AIWC's memory metrics from them.
//
// Memory: 8 bytes for each 4 bytes touched (for each byte touched, in pages with unaligned
// accesses), up to a limit. Beyond the limit, only a part of the pages (64 KiB of addresses) is
// counted, chosen by a hash: first one half, then one in four, and so on. The numbers of unique
// addresses are then multiplied by 2, 4 ..., and the entropies are increased by 1, 2 ... bits. The
// relative standard error of a number of addresses is 1 / sqrt(pages counted), if all pages are
// used alike. After a halving, at least 2,700 pages are left (those that fit into half of the
// default limit), so this error is at most 2 %. Numbers of reads and writes stay exact.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/analysers/shadow.h"

namespace apmt::kernels {

class AddressCounts {
 public:
  /// When pages are left out, the counts are copied, so that up to 1.5 times the limit is used.
  explicit AddressCounts(std::uint64_t limit_bytes = kShadowLimitBytes / 3 * 2)
      : limit_bytes_(limit_bytes) {}

  static constexpr int kDroppedBits = 10;
  struct Summary {
    std::uint64_t reads = 0, writes = 0;
    std::uint64_t unique_reads = 0, unique_writes = 0, unique = 0;
    std::uint64_t unique_90 = 0;          // the fewest addresses that cover 90 % of the accesses
    double entropy = 0;                   // -sum p log2 p
    std::vector<double> local_entropies;  // after dropping 1 to 10 low bits of the addresses
  };

  void read(std::uint64_t address, std::uint32_t times = 1) {
    reads_ += times;
    if (is_counted(address)) add(times, &rows_->exactly_at(address).reads);
  }
  void write(std::uint64_t address, std::uint32_t times = 1) {
    writes_ += times;
    if (is_counted(address)) add(times, &rows_->exactly_at(address).writes);
  }
  /// Counts `times` accesses, each at `stride` bytes from the previous one.
  void access(std::uint64_t address, std::uint64_t stride, std::uint64_t times, bool reads,
              bool writes) {
    reads_ += reads ? times : 0;
    writes_ += writes ? times : 0;
    for (std::uint64_t here; times > 0; address += here * stride, times -= here) {
      here = Shadow<Row>::within_page(address, 1, stride, times);
      if (!is_counted(address)) continue;
      rows_->each_exactly(address, stride, here, [&](Row& row) {
        if (reads) add(1, &row.reads);
        if (writes) add(1, &row.writes);
      });
    }
  }
  Summary summary();
  void clear() {
    rows_->clear();
    is_full_ = false;
    one_page_of_log2_ = 0;
    reads_ = writes_ = 0;
  }
  std::uint64_t bytes() const { return rows_->bytes(); }
  /// Returns false if the memory or a count has reached its limit.
  bool is_complete() const { return one_page_of_log2_ == 0 && !rows_->overflowed() && !is_full_; }

 private:
  void add(std::uint32_t times, std::uint32_t* count) {
    if (__builtin_add_overflow(*count, times, count)) {
      *count = ~std::uint32_t{0};
      is_full_ = true;
    }
  }

  struct Row {
    std::uint32_t reads, writes;
  };
  /// The most memory that one more access can need: a page with a row for each byte, and a table of
  /// pages.
  static constexpr std::uint64_t kMostForAPage = (sizeof(Row) << 16) + (std::uint64_t{1} << 20);

  bool is_counted(std::uint64_t address) {
    if (rows_->bytes() + kMostForAPage > limit_bytes_) leave_out_pages();
    return is_in_part(address);
  }
  bool is_in_part(std::uint64_t address) const {
    const std::uint64_t hash = (address >> 16) * 0x9e3779b97f4a7c15u >> 32;
    return (hash & ((std::uint64_t{1} << one_page_of_log2_) - 1)) == 0;
  }
  __attribute__((noinline)) void leave_out_pages();

  std::uint64_t limit_bytes_;
  std::unique_ptr<Shadow<Row>> rows_ = std::make_unique<Shadow<Row>>(2);
  unsigned one_page_of_log2_ = 0;
  std::uint64_t reads_ = 0, writes_ = 0;
  bool is_full_ = false;
};

/// The smallest number of counts that add up to 90 % of their sum.
std::uint64_t fewest_with_90_percent(std::vector<std::uint64_t> counts);

}  // namespace apmt::kernels
