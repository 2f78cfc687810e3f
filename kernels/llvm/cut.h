// Cuts blocks after calls and barriers, as kernels/program.h requires: a block ends with its
// terminator, a call or a barrier.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

namespace apmt::frontend {

/// Whether the instruction is a call that may run code of the program. Intrinsics, inline assembly
/// and known functions such as memcpy are not.
bool is_call(const llvm::Instruction& instruction);

/// Whether a block is cut after the instruction: is_call(), or a barrier.
bool ends_block(const llvm::Instruction& instruction);

/// Whether `block` was cut after a call or barrier, so that its branch is not an instruction of the
/// program.
bool ends_with_call(const llvm::BasicBlock& block);

void cut_behind_calls(llvm::Function& function);

}  // namespace apmt::frontend
