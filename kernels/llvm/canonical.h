// Brings a module into the form that is counted, whatever the user's optimisation level.
#pragma once

#include <llvm/IR/Module.h>

namespace apmt::frontend {

/// Runs the canonical passes on every function. Small functions without loops are inlined first, by
/// a rule that depends on the source alone. No call of a library function is interpreted.
void canonicalise(llvm::Module& module);

}  // namespace apmt::frontend
