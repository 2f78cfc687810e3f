// Stencils: elements of one array at fixed distances from each other.
#pragma once

#include "kernels/llvm/statements.h"

namespace apmt::frontend {

/// Whether a statement reads two or more neighbours, or folds a window of a few elements that
/// slides. A recurrence that reads only the element before its own is none: a scan.
bool reads_neighbours(const Statement& statement, LinearPlaces& places);

}  // namespace apmt::frontend
