// Finds values that a loop carries from one iteration to the next, but that do not make the loop
// sequential.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>

#include <vector>

#include "kernels/program.h"

namespace apmt::frontend {

struct CarriedValue {
  /// A phi of the header, or the load or atomic update of a reduction in memory.
  const llvm::Instruction* value;
  kernels::Excepted::Why why;
};

/// The inductions and reductions of this loop. A reduction combines the carried value by addition,
/// multiplication, minimum, maximum or bitwise logic; nothing else in the loop reads the carried
/// value.
std::vector<CarriedValue> carried_values(llvm::Loop& loop, llvm::ScalarEvolution& evolution);

}  // namespace apmt::frontend
