#include "kernels/analysis.h"

#include <algorithm>

namespace apmt::kernels {

void InstructionMix::add(const InstructionMix& other, std::uint64_t times) {
  for (std::uint64_t InstructionMix::*member :
       {&InstructionMix::instructions, &InstructionMix::alu, &InstructionMix::simd,
        &InstructionMix::loads, &InstructionMix::stores, &InstructionMix::fences,
        &InstructionMix::branches, &InstructionMix::calls, &InstructionMix::loaded_bytes,
        &InstructionMix::stored_bytes, &InstructionMix::flops, &InstructionMix::flops_add,
        &InstructionMix::flops_multiply, &InstructionMix::flops_divide,
        &InstructionMix::flops_special, &InstructionMix::flops_single})
    this->*member += other.*member * times;
}

double Locality::misses(double cache_bytes) const {
  const double lines = cache_bytes / static_cast<double>(line_bytes);
  double sum = cold;
  for (const Distance& d : distances) {
    // Distances are assumed to be spread evenly within a bin.
    const double from = static_cast<double>(d.from), width = static_cast<double>(d.to) + 1 - from;
    sum += d.accesses * std::clamp((from + width - lines) / width, 0.0, 1.0);
  }
  return sum;
}

}  // namespace apmt::kernels
