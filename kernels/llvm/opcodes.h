// Maps LLVM's instructions to the operation classes of a Program.
#pragma once

#include <llvm/IR/Instruction.h>
#include <llvm/IR/Type.h>

#include <string>

#include "kernels/program.h"

namespace apmt::frontend {

using kernels::OpClass;
using kernels::ScalarType;

OpClass class_of(const llvm::Instruction& instruction);

/// Whether the instruction generates no code: debugging information, lifetimes, assumptions.
bool is_nothing(const llvm::Instruction& instruction);

/// "fadd", "getelementptr", "llvm.sqrt" (an intrinsic without its types).
std::string opcode_name(const llvm::Instruction& instruction);

struct ValueShape {
  ScalarType type = ScalarType::kVoid;
  std::uint16_t lanes = 1;
};
ValueShape shape_of(const llvm::Type& type);

/// The address of a load, store or atomic.
llvm::Value* address_operand(const llvm::Instruction& instruction);

/// Destination, source and length of a copy or fill; for a fill, `source` is the value.
struct MemoryBlockOperands {
  llvm::Value* destination = nullptr;
  llvm::Value* source = nullptr;
  llvm::Value* bytes = nullptr;
};
MemoryBlockOperands memory_block_operands(const llvm::Instruction& instruction);

}  // namespace apmt::frontend
