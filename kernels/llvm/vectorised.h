// Finds the floating-point operations that LLVM's loop vectoriser can turn into vector operations
// (W_vec of the AutoMatch paper, equation 2), in a copy of the module that is thrown away.
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/Module.h>

namespace apmt::frontend {

/// Finds the vectorisable floating-point operations of a module in canonical form. The copy is
/// compiled for an imaginary processor with vectors of 256 bits, masks, gathers and scatters, so
/// that neither the user's processor nor the optimisation level matters. The results refer to
/// `module`.
llvm::DenseSet<const llvm::Instruction*> find_vectorised(llvm::Module& module);

}  // namespace apmt::frontend
