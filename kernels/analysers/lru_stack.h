// LRU stack distances: how many other lines were accessed since the last access to a line (Mattson,
// Gecsei, Slutz, Traiger 1970; algorithm of Bennett and Kruskal 1975). A bit vector over time marks
// each line's last access; the distance is the number of later set bits, counted by a Fenwick tree
// over blocks of 512 bits. When the vector is full, it is compacted. Memory: four bytes per line in
// the shadow table, and about four bits per line (at least 2^20 bits) in the bit vector.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/analysers/shadow.h"

namespace apmt::kernels {

class LruStack {
 public:
  static constexpr std::uint64_t kCold = ~std::uint64_t{0};
  static constexpr unsigned kLineLog2 = 6;

  explicit LruStack(std::uint64_t least_capacity = std::uint64_t{1} << 20)
      : least_capacity_(least_capacity), last_(kLineLog2) {
    resize(least_capacity_);
  }

  /// Notes an access to the line that contains the address, and returns its distance; kCold: this
  /// is the first access to the line.
  std::uint64_t access(std::uint64_t address) {
    if (now_ == capacity_) compact();
    std::uint32_t& last = last_.at(address);  // time of its last access plus one; 0: never
    std::uint64_t distance = kCold;
    if (last != 0) {
      const std::uint64_t before = last - 1;
      distance = since(before);
      bits_[before / 64] &= ~(std::uint64_t{1} << before % 64);
      if (before / kBlockBits != now_ / kBlockBits) {
        change(before / kBlockBits, ~0u);
        change(now_ / kBlockBits, 1);
      }
    } else {
      ++lines_;
      change(now_ / kBlockBits, 1);
    }
    bits_[now_ / 64] |= std::uint64_t{1} << now_ % 64;
    last = static_cast<std::uint32_t>(++now_);
    return distance;
  }

  std::uint64_t lines() const { return lines_; }
  std::uint64_t bytes() const {
    return last_.bytes() + bits_.size() * sizeof bits_[0] + tree_.size() * sizeof tree_[0];
  }
  bool is_complete() const { return !last_.overflowed(); }

 private:
  static constexpr std::uint64_t kBlockBits = 512, kBlockWords = kBlockBits / 64;

  static std::uint64_t ones(std::uint64_t word) {
    return static_cast<std::uint64_t>(__builtin_popcountll(word));
  }

  /// The number of set bits after `time`.
  std::uint64_t since(std::uint64_t time) const {
    std::uint64_t word = time / 64;
    const std::uint64_t end = (now_ + 63) / 64;  // words in use
    std::uint64_t count = time % 64 == 63 ? 0 : ones(bits_[word] >> (time % 64 + 1));
    if (end - word <= 2 * kBlockWords) {
      while (++word < end) count += ones(bits_[word]);
      return count;
    }
    const std::uint64_t block_end = (word / kBlockWords + 1) * kBlockWords;
    while (++word < block_end) count += ones(bits_[word]);
    return count + lines_ - up_to(time / kBlockBits);
  }

  /// The number of set bits in the blocks 0 ... block.
  std::uint64_t up_to(std::uint64_t block) const {
    std::uint64_t sum = 0;
    for (std::uint64_t i = block + 1; i > 0; i &= i - 1) sum += tree_[i];
    return sum;
  }
  void change(std::uint64_t block, std::uint32_t by) {
    for (std::uint64_t i = block + 1; i < tree_.size(); i += i & (~i + 1)) tree_[i] += by;
  }

  void resize(std::uint64_t capacity) {
    capacity_ = (capacity + kBlockBits - 1) / kBlockBits * kBlockBits;
    bits_.assign(capacity_ / 64, 0);
    tree_.assign(capacity_ / kBlockBits + 1, 0);
  }

  /// Renumbers the last accesses 0, 1, 2 ... in order.
  void compact() {
    std::vector<std::uint32_t> before(bits_.size());  // set bits in the earlier words
    for (std::size_t w = 1; w < bits_.size(); ++w)
      before[w] = before[w - 1] + static_cast<std::uint32_t>(ones(bits_[w - 1]));
    last_.all([&](std::uint64_t, std::uint32_t& last) {
      if (last == 0) return;
      const std::uint64_t time = last - 1;
      const std::uint64_t below = bits_[time / 64] & ((std::uint64_t{1} << time % 64) - 1);
      last = before[time / 64] + static_cast<std::uint32_t>(ones(below)) + 1;
    });
    resize(std::max(least_capacity_, 4 * lines_));
    now_ = lines_;
    for (std::uint64_t time = 0; time < now_; ++time)
      bits_[time / 64] |= std::uint64_t{1} << time % 64;
    for (std::uint64_t b = 0; b * kBlockBits < now_; ++b)
      change(b, static_cast<std::uint32_t>(std::min(kBlockBits, now_ - b * kBlockBits)));
  }

  std::uint64_t least_capacity_;
  Shadow<std::uint32_t> last_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint32_t> tree_;
  std::uint64_t capacity_ = 0, now_ = 0, lines_ = 0;
};

}  // namespace apmt::kernels
