// How often each address was read and written, and AIWC's memory metrics made of that.
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
    std::uint64_t unique_90 = 0;          // fewest addresses with 90 % of the accesses
    double entropy = 0;                   // -sum p log2 p
    std::vector<double> local_entropies;  // after dropping 1 ... 10 low bits
  };

  void read(std::uint64_t address) { ++rows_.exactly_at(address).reads; }
  void write(std::uint64_t address) { ++rows_.exactly_at(address).writes; }
  Summary summary();
  void clear() { rows_.clear(); }
  std::uint64_t bytes() const { return rows_.bytes(); }
  bool is_complete() const { return !rows_.overflowed(); }

 private:
  struct Row {
    std::uint32_t reads, writes;
  };
  Shadow<Row> rows_{2};
};

/// Of counts, the fewest that make up 90 % of their sum.
std::uint64_t fewest_with_90_percent(std::vector<std::uint64_t> counts);

}  // namespace apmt::kernels
