// The number of iterations of a loop, where it is known before the loop begins.
#pragma once

#include "kernels/llvm/function_analyses.h"

namespace apmt::frontend {

/// Whether a block contains a call, from which control might not return.
bool calls_something(const llvm::BasicBlock& block);

/// The number of iterations minus one, if it is known when the loop is entered and no call can
/// leave the loop earlier; otherwise nullptr.
const llvm::SCEV* iterations_less_one(const llvm::Loop& loop, llvm::ScalarEvolution& evolution);

/// Inserts code before the loop, at its entry, that computes the value.
llvm::Value* computed_before(const llvm::Loop& loop, const llvm::SCEV* value,
                             llvm::ScalarEvolution& evolution);
/// Whether the value can be computed before the loop, at its entry.
bool is_known_before(const llvm::Loop& loop, const llvm::SCEV* value,
                     llvm::ScalarEvolution& evolution);

}  // namespace apmt::frontend
