// Merges the scopes of several runs, ranks or threads.
#pragma once

#include <vector>

#include "kernels/analysis.h"

namespace apmt::kernels {

/// Adds `more` to `scopes`; copies of a function inlined in the same place are added up.
void merge_scopes(const std::vector<ScopeCounts>& more, std::vector<ScopeCounts>* scopes);

}  // namespace apmt::kernels
