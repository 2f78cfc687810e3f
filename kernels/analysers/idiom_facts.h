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

/// A stream, transpose, gather, scatter or product is one as long as its own references carry no
/// dependence from iteration to iteration of its loops. In the outer loops of a product, nothing
/// else may carry one either: factors that are computed from its result are those of a
/// decomposition. Else it is the alternative that the recogniser names, or nothing. A stencil and a
/// reduction carry dependences. What did not run is nothing. Statements of one idiom are one row.
std::vector<IdiomFacts> idioms_of(const Program& program, std::uint32_t loop, const LoopMix& mix,
                                  const Dependences& dependences);

}  // namespace apmt::kernels
