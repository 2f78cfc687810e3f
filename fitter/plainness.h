// How plain a program is: whether its kernels follow plain laws or curves of their own.
#pragma once

#include <vector>

#include "fitter/law.h"

namespace apmt {

/// Three or four points seldom tell a plain law from a curve, but the kernels of one program are
/// alike: where the others follow plain laws, this one does, too. The prior weight of plain laws
/// becomes, for each kernel, the mean of their share among the program's kernels after all others
/// have been considered. A single kernel keeps the prior weight.
void pool_plainness(const std::vector<TimeLaw*>& kernels);

}  // namespace apmt
