// Counts reads and writes of each address, and derives AIWC's memory metrics from them.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/analysers/shadow.h"

namespace apmt::kernels {

class AddressCounts {
 public:
  static constexpr int kDroppedBits = 10;
  struct Summary {
    std::uint64_t reads = 0, writes = 0;
    std::uint64_t unique_reads = 0, unique_writes = 0, unique = 0;
    std::uint64_t unique_90 = 0;          // the fewest addresses that cover 90 % of the accesses
    double entropy = 0;                   // -sum p log2 p
    std::vector<double> local_entropies;  // after dropping 1 to 10 low bits of the addresses
  };

  void read(std::uint64_t address, std::uint32_t times = 1) {
    add(times, &rows_.exactly_at(address).reads);
  }
  void write(std::uint64_t address, std::uint32_t times = 1) {
    add(times, &rows_.exactly_at(address).writes);
  }
  /// Counts `times` accesses, each at `stride` bytes from the previous one.
  void access(std::uint64_t address, std::uint64_t stride, std::uint64_t times, bool reads,
              bool writes) {
    rows_.each_exactly(address, stride, times, [&](Row& row) {
      if (reads) add(1, &row.reads);
      if (writes) add(1, &row.writes);
    });
  }
  Summary summary();
  void clear() {
    rows_.clear();
    is_full_ = false;
  }
  std::uint64_t bytes() const { return rows_.bytes(); }
  /// Returns false if the memory or a count has reached its limit.
  bool is_complete() const { return !rows_.overflowed() && !is_full_; }

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
  Shadow<Row> rows_{2};
  bool is_full_ = false;
};

/// The smallest number of counts that add up to 90 % of their sum.
std::uint64_t fewest_with_90_percent(std::vector<std::uint64_t> counts);

}  // namespace apmt::kernels
