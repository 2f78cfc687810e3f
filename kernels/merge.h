// Scopes of several runs, ranks or threads as those of one.
#pragma once

#include <vector>

#include "kernels/analysis.h"

namespace apmt::kernels {

/// Adds counts of the same function, inlined in the same place.
void merge_scopes(const std::vector<ScopeCounts>& more, std::vector<ScopeCounts>* scopes);

}  // namespace apmt::kernels
