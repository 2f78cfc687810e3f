// AIWC's branch metrics of one conditional branch. They are computed from windows of 16 successive
// outcomes; each execution of the branch moves the window by one. A branch with fewer than 16
// outcomes has no window. Memory: 2 KiB for each different value of the older half of a window (8
// outcomes), at most 512 KiB per branch.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>

namespace apmt::kernels {

class BranchWindows {
 public:
  static constexpr unsigned kLength = 16;

  void add(bool taken) {
    window_ = static_cast<std::uint16_t>(window_ << 1 | (taken ? 1 : 0));
    if (++outcomes_ < kLength) return;
    auto& row = rows_[window_ >> 8];
    if (!row) row = std::make_unique<Row>();
    ++(*row)[window_ & 255];
  }
  /// Adds the same outcome `times` times.
  void add(bool taken, std::uint64_t times) {
    const std::uint64_t changing = std::min<std::uint64_t>(times, kLength);
    for (std::uint64_t i = 0; i < changing; ++i) add(taken);
    if (times == changing) return;
    outcomes_ += times - changing;
    (*rows_[window_ >> 8])[window_ & 255] += times - changing;
  }
  std::uint64_t outcomes() const { return outcomes_; }

  /// Yokota's entropy, as AIWC computes it: the sum of -p log2 p over the distinct windows, where p
  /// is the share of taken outcomes in the window.
  double yokota() const {
    double sum = 0;
    each([&](double p, std::uint64_t) { sum -= p > 0 ? p * std::log2(p) : 0; });
    return sum;
  }
  /// Linear branch entropy 2 min(p, 1 - p), summed over all windows.
  double linear_sum() const {
    double sum = 0;
    each([&](double p, std::uint64_t times) {
      sum += static_cast<double>(times) * 2 * std::min(p, 1 - p);
    });
    return sum;
  }
  std::uint64_t windows() const { return outcomes_ < kLength ? 0 : outcomes_ - (kLength - 1); }

 private:
  using Row = std::array<std::uint64_t, 256>;

  template <class Visit>
  void each(const Visit& visit) const {
    for (unsigned high = 0; high < 256; ++high)
      if (rows_[high])
        for (unsigned low = 0; low < 256; ++low)
          if (const std::uint64_t times = (*rows_[high])[low]; times > 0)
            visit(std::popcount(high << 8 | low) / double{kLength}, times);
  }

  std::array<std::unique_ptr<Row>, 256> rows_;
  std::uint64_t outcomes_ = 0;
  std::uint16_t window_ = 0;
};

}  // namespace apmt::kernels
