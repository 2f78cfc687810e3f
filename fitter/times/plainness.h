// Whether the kernels of a program follow plain laws (such as 1/P) or other curves.
#pragma once

#include <vector>

#include "fitter/laws/time_law.h"

namespace apmt {

/// Adjusts the prior weight of plain laws to the program. Three or four points seldom tell a plain
/// law from a curve. But the kernels of one program are similar: if the others follow plain laws,
/// this one probably does, too. So for each kernel, the prior weight of plain laws becomes the
/// expected share of the program's kernels that follow plain laws, given the other kernels. A
/// single kernel keeps the prior weight.
void pool_plainness(const std::vector<TimeLaw*>& kernels);

}  // namespace apmt
