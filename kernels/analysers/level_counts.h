// The number of operations at each level of a schedule. Each level has a row; if there are too many
// rows, they are merged in pairs, and each row then stands for twice as many levels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>
#include <numeric>

#include "kernels/analysers/zeroed_memory.h"

namespace apmt::kernels {

class LevelCounts {
 public:
  explicit LevelCounts(std::uint64_t most_rows = std::uint64_t{1} << 25) : most_rows_(most_rows) {}

  /// Levels count from 1.
  void add(std::uint64_t level, std::uint64_t operations) {
    std::uint64_t row = (level - 1) >> levels_log2_;
    if (row >= available_) row = make_room(row);
    rows_[row] += operations;
    depth_ = std::max(depth_, level);
  }
  /// Adds `operations` to each of `n` consecutive levels, from level `first` on.
  void add_to_each(std::uint64_t first, std::uint64_t n, std::uint64_t operations) {
    if (n == 0) return;
    add(first + n - 1, operations);
    if (levels_log2_ > 0) {
      for (std::uint64_t l = first; l < first + n - 1; ++l) add(l, operations);
      return;
    }
    std::uint64_t* const rows = rows_ + (first - 1);
    for (std::uint64_t i = 0; i + 1 < n; ++i) rows[i] += operations;
  }
  std::uint64_t depth() const { return depth_; }
  std::uint64_t operations() const {
    return std::accumulate(rows_, rows_ + used(), std::uint64_t{0});
  }
  /// The operations of a row, of those that each() visits.
  std::uint64_t operations_of(std::uint64_t row) const { return rows_[row]; }
  std::uint64_t levels_per_row() const { return std::uint64_t{1} << levels_log2_; }

  /// Calls `visit(operations, levels)` for each row.
  template <class Visit>
  void each(const Visit& visit) const {
    for (std::uint64_t row = 0; row < used(); ++row)
      visit(rows_[row], std::min(levels_per_row(), depth_ - (row << levels_log2_)));
  }
  void clear() {
    std::fill_n(rows_, used(), 0);
    levels_log2_ = 0;
    depth_ = 0;
  }

 private:
  std::uint64_t used() const { return depth_ == 0 ? 0 : ((depth_ - 1) >> levels_log2_) + 1; }

  /// Makes room for a row. Returns its number, which differs from `row` if rows were merged.
  __attribute__((noinline)) std::uint64_t make_room(std::uint64_t row) {
    if (rows_ == nullptr) {
      // Reserves address space for all rows; only those that are used take memory.
      rows_ = static_cast<std::uint64_t*>(memory_.take_sparse(most_rows_ * sizeof *rows_));
      if (rows_ == nullptr) throw std::bad_alloc();
      available_ = most_rows_;
    }
    while (row >= most_rows_) halve(), row >>= 1;
    return row;
  }
  void halve() {
    const std::uint64_t rows = used();
    for (std::uint64_t row = 0; row < rows; ++row) {
      const std::uint64_t operations = rows_[row];
      rows_[row] = 0;
      rows_[row / 2] += operations;
    }
    ++levels_log2_;
  }

  std::uint64_t most_rows_;
  ZeroedMemory memory_;
  std::uint64_t* rows_ = nullptr;
  std::uint64_t available_ = 0;
  unsigned levels_log2_ = 0;
  std::uint64_t depth_ = 0;
};

}  // namespace apmt::kernels
