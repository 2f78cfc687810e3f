// Recognises stencils, which read elements of one array at fixed distances from each other.
#pragma once

#include "kernels/llvm/statements.h"

namespace apmt::frontend {

/// Whether a statement reads two or more elements near each other, or folds a sliding window of a
/// few elements. A recurrence that reads only the element before its own is a scan, not a stencil.
bool reads_neighbours(const Statement& statement, LinearPlaces& places);

}  // namespace apmt::frontend
