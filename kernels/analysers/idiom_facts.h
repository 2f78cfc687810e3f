// The idioms of a loop that what ran confirms, with their references.
#pragma once

#include <functional>

#include "kernels/analysers/loop_mix.h"

namespace apmt::kernels {

const char* name_of(Idiom::Kind kind);

/// Whether an instruction read what an earlier iteration of a loop around it had written; the
/// recognised reductions excepted.
using CarriesDependence = std::function<bool(std::uint32_t instruction, std::uint32_t loop)>;

/// A stream, transpose, gather, scatter or product is one as long as its own references carry no
/// dependence from iteration to iteration of its loops. Else it is the alternative that the
/// recogniser names, or nothing. A stencil and a reduction carry dependences. Statements of one
/// idiom are one row.
std::vector<IdiomFacts> idioms_of(const Program& program, std::uint32_t loop, const LoopMix& mix,
                                  const CarriesDependence& carries);

}  // namespace apmt::kernels
