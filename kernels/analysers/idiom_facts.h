// Finds the idioms of a loop that the run confirms, and counts their memory references.
#pragma once

#include <functional>

#include "kernels/analysers/loop_mix.h"

namespace apmt::kernels {

/// Reads of values that an earlier iteration of a loop wrote, except those of recognised
/// reductions.
struct Dependences {
  /// Whether the instruction made such a read.
  std::function<bool(std::uint32_t instruction, std::uint32_t loop)> of;
  /// Whether any instruction made such a read in the loop.
  std::function<bool(std::uint32_t loop)> any;
};

/// The recogniser's idioms that the run confirms, one entry per idiom.
/// - A stencil or a reduction may carry dependences, so it is confirmed if it ran.
/// - Any other idiom is confirmed if none of its references carries a dependence between iterations
///   of the idiom's loops.
/// - In the outer loops of a matrix product, no other read may carry a dependence either: otherwise
///   the factors are computed from the result, as in a matrix decomposition.
/// If an idiom is not confirmed, or none of its references ran, the recogniser's next alternative
/// is tried, if there is one.
std::vector<IdiomFacts> idioms_of(const Program& program, std::uint32_t loop, const LoopMix& mix,
                                  const Dependences& dependences);

}  // namespace apmt::kernels
