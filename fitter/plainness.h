// Whether the kernels of a program follow plain laws or curves of their own.
#pragma once

#include <vector>

#include "fitter/law.h"

namespace apmt {

/// Three or four points seldom distinguish a plain law from a curve, but the kernels of one program
/// are similar: if the others follow plain laws, this one probably does, too. The prior weight of
/// plain laws for each kernel becomes their expected share among the program's kernels, given all
/// other kernels. A single kernel keeps the prior weight.
void pool_plainness(const std::vector<TimeLaw*>& kernels);

}  // namespace apmt
