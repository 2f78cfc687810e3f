// Brings a module into the canonical form in which instructions are counted, whatever the user's
// optimisation level.
#pragma once

#include <llvm/IR/Module.h>

namespace apmt::frontend {

/// Runs the canonical passes on every function. Small functions without loops are inlined, by a
/// rule that depends on the source alone. Library functions are not treated specially.
void canonicalise(llvm::Module& module);

}  // namespace apmt::frontend
