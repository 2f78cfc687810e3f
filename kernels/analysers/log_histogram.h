// A histogram of whole numbers: exact below 4096, and with 64 bins per octave above, so that a bin
// is at most 1.6 % wide. It has at most 7,424 bins, and none above the largest number seen.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace apmt::kernels {

class LogHistogram {
 public:
  struct Bin {
    std::uint64_t from = 0, to = 0;  // inclusive
    std::uint64_t count = 0;
    std::uint64_t sum = 0;  // of the numbers
  };

  void add(std::uint64_t number, std::uint64_t times = 1) {
    const std::size_t i = index_of(number);
    if (i >= counts_.size()) counts_.resize(i + 1), sums_.resize(i + 1);
    counts_[i] += times;
    sums_[i] += number * times;
    total_ += times;
  }
  std::uint64_t total() const { return total_; }

  std::vector<Bin> bins() const {
    std::vector<Bin> filled;
    for (std::size_t i = 0; i < counts_.size(); ++i)
      if (counts_[i] > 0) filled.push_back({from_of(i), from_of(i + 1) - 1, counts_[i], sums_[i]});
    return filled;
  }

  /// The mean of the two middle numbers, each taken as the mean of its bin; 0 if there are none.
  double median() const {
    return total_ == 0 ? 0 : (at_rank((total_ - 1) / 2) + at_rank(total_ / 2)) / 2;
  }

 private:
  static constexpr unsigned kExactLog2 = 12, kPerOctaveLog2 = 6;
  static constexpr std::uint64_t kExact = 1 << kExactLog2;

  static std::size_t index_of(std::uint64_t n) {
    if (n < kExact) return n;
    const unsigned octave = static_cast<unsigned>(std::bit_width(n)) - 1 - kExactLog2;
    const std::uint64_t part =
        (n >> (octave + kExactLog2 - kPerOctaveLog2)) - (1 << kPerOctaveLog2);
    return kExact + (octave << kPerOctaveLog2) + part;
  }
  static std::uint64_t from_of(std::size_t i) {
    if (i < kExact) return i;
    const unsigned octave = static_cast<unsigned>((i - kExact) >> kPerOctaveLog2);
    const std::uint64_t part = (i - kExact) & ((1 << kPerOctaveLog2) - 1);
    return (part + (1 << kPerOctaveLog2)) << (octave + kExactLog2 - kPerOctaveLog2);
  }
  double at_rank(std::uint64_t rank) const {
    std::size_t i = 0;
    while (rank >= counts_[i]) rank -= counts_[i++];
    return static_cast<double>(sums_[i]) / static_cast<double>(counts_[i]);
  }

  std::vector<std::uint64_t> counts_, sums_;
  std::uint64_t total_ = 0;
};

}  // namespace apmt::kernels
