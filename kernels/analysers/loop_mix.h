// Counts the instructions of loops, and how often the memory references of idioms are executed
// (PMaC's paper, equation 1: the time of an idiom is the time of its block's references). A block
// is counted for the innermost loop around it. A block outside loops is counted for the loop that
// called the block's function, directly or through other functions.
//
// Memory: 8 bytes per block of the program while the kernel runs, then 16 bytes per block that ran;
// and 16 bytes per pair of a loop and a block (outside loops) that the loop calls.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "kernels/analysis.h"
#include "kernels/events.h"

namespace apmt::kernels {

class LoopMix {
 public:
  /// Counts an execution of a block. `around` is the innermost loop that the thread is in, in any
  /// function; kNone: none.
  void ran(const Program& program, std::uint32_t block, std::uint32_t around,
           std::uint64_t times = 1) {
    if (program.blocks[block].loop != kNone)
      count(&inside_, block, program.blocks.size()) += times;
    else if (around != kNone)
      called_[{around, block}] += times;
  }
  /// Counts a copy or fill that reads and writes these bytes.
  void moved(const Program& program, std::uint32_t block, std::uint32_t around,
             std::uint64_t read_bytes, std::uint64_t written_bytes);

  /// Call this when nothing more will be counted. Keeps only the counts of blocks that ran.
  void compress();
  /// Adds the counts of a compressed LoopMix.
  void add(const LoopMix& other, std::uint64_t times);

  InstructionMix mix(const Program& program, std::uint32_t loop) const;
  /// How often a loop executed an instruction; 0 if the instruction belongs to another loop.
  std::uint64_t executions(const Program& program, std::uint32_t instruction,
                           std::uint32_t loop) const;
  /// What a copy or fill read and wrote in a loop. If its block has several of them, each gets the
  /// same part.
  InstructionMix moved_by(const Program& program, std::uint32_t instruction,
                          std::uint32_t loop) const;

 private:
  static std::uint64_t& count(std::vector<std::uint64_t>* counts, std::uint32_t block,
                              std::size_t blocks) {
    if (counts->size() < blocks) counts->resize(blocks);
    return (*counts)[block];
  }

  std::vector<std::uint64_t> inside_;                                        // by block
  std::vector<std::pair<std::uint32_t, std::uint64_t>> compressed_;          // block and count
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> called_;  // by loop and block
  std::map<std::pair<std::uint32_t, std::uint32_t>, InstructionMix> moved_;  // by loop and block
};

}  // namespace apmt::kernels
