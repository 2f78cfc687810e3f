// The idioms of a loop that what ran confirms, with their references.
#pragma once

#include <functional>

#include "kernels/analysers/loop_mix.h"

namespace apmt::kernels {

/// Reads of what an earlier iteration of a loop had written; the recognised reductions excepted.
struct Dependences {
  /// Whether an instruction made such a read.
  std::function<bool(std::uint32_t instruction, std::uint32_t loop)> of;
  /// Whether any did.
  std::function<bool(std::uint32_t loop)> any;
};

/// The recogniser's idioms that the run confirms, one row per idiom. A stencil or a reduction may
/// carry dependences, so it is always confirmed if it ran. Any other idiom is confirmed if none of
/// its references carries a dependence between iterations of the idiom's loops. In the outer loops
/// of a product, no other read may carry a dependence either: its factors would be computed from
/// its result, as in a decomposition. If an idiom is not confirmed, or none of its references ran,
/// the recogniser's next alternative is tried; there may be none.
std::vector<IdiomFacts> idioms_of(const Program& program, std::uint32_t loop, const LoopMix& mix,
                                  const Dependences& dependences);

}  // namespace apmt::kernels
