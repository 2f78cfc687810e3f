// The idioms of a loop that the run confirms, with their references.
#pragma once

#include <functional>

#include "kernels/analysers/loop_mix.h"

namespace apmt::kernels {

/// Reads of values that an earlier iteration of a loop wrote, except those of recognised
/// reductions.
struct Dependences {
  /// Whether the instruction made such a read.
  std::function<bool(std::uint32_t instruction, std::uint32_t loop)> of;
  /// Whether any instruction did.
  std::function<bool(std::uint32_t loop)> any;
};

/// A stream, transpose, gather, scatter or product is confirmed if its references carry no
/// dependence between iterations of its loops. The outer loops of a product must not carry any
/// other dependence either: if the factors are computed from the result, the loops are a
/// decomposition. Otherwise the recogniser's alternative is tried, if there is one. Stencils and
/// reductions may carry dependences. Statements that did not run have no idiom. All statements of
/// an idiom are one row.
std::vector<IdiomFacts> idioms_of(const Program& program, std::uint32_t loop, const LoopMix& mix,
                                  const Dependences& dependences);

}  // namespace apmt::kernels
