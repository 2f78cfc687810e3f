// Cuts blocks behind calls and barriers, as the contract wants it: a block ends with its terminator
// or one of them.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

namespace apmt::frontend {

/// Whether it may run code of the program: no intrinsic, no assembly, none of memcpy and its kin.
bool is_call(const llvm::Instruction& instruction);

/// Whether a block ends behind it: a call as above, or a barrier.
bool ends_block(const llvm::Instruction& instruction);

/// Whether `block` ends with a call or barrier and goes on in the next one: its branch is no
/// instruction of the user's.
bool ends_with_call(const llvm::BasicBlock& block);

void cut_behind_calls(llvm::Function& function);

}  // namespace apmt::frontend
