// The memory accesses of each block, in order, without the other instructions.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/events.h"

namespace apmt::kernels {

/// Footprints and stack distances are counted in cache lines of this size.
inline constexpr std::uint64_t kLineBytes = 64;

class Accesses {
 public:
  void begin(const Program& program) {
    for (std::size_t b = first_.size(); b < program.blocks.size(); ++b) {
      first_.push_back(static_cast<std::uint32_t>(all_.size()));
      std::uint32_t word = 0;
      for (const Instruction& i : program.code(program.blocks[b])) {
        const auto add = [&](std::uint32_t at, bool reads, bool writes, std::uint32_t length_at) {
          all_.push_back({i.bytes, static_cast<std::uint16_t>(word + at),
                          static_cast<std::uint16_t>(word + length_at), reads, writes,
                          length_at != 0});
        };
        if (i.op == OpClass::kLoad) add(0, true, false, 0);
        if (i.op == OpClass::kStore) add(0, false, true, 0);
        if (i.op == OpClass::kAtomic) add(0, true, true, 0);
        if (i.op == OpClass::kCopyMemory) add(1, true, false, 2), add(0, false, true, 2);
        if (i.op == OpClass::kFillMemory) add(0, false, true, 1);
        word += words_of(i.op);
      }
      last_.push_back(static_cast<std::uint32_t>(all_.size()));
    }
  }

  /// Calls `visit(address, bytes, reads, writes, is_range)` for each access. `is_range` is true if
  /// the access is part of a copy or fill.
  template <class Visit>
  void each(std::uint32_t block, const Word* words, const Visit& visit) const {
    for (std::uint32_t i = first_[block]; i < last_[block]; ++i) {
      const Access& a = all_[i];
      visit(words[a.address_at], a.is_range ? words[a.length_at] : a.bytes, a.reads, a.writes,
            a.is_range);
    }
  }
  bool any(std::uint32_t block) const { return first_[block] != last_[block]; }

 private:
  struct Access {
    std::uint32_t bytes;
    std::uint16_t address_at, length_at;  // indices among the block's words
    bool reads, writes, is_range;
  };
  std::vector<Access> all_;
  std::vector<std::uint32_t> first_, last_;  // by block
};

}  // namespace apmt::kernels
