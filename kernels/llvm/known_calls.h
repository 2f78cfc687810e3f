// External functions that a front end knows by name. Each front end links its own definitions:
// known_calls.cpp for native code, kernels/oclgrind/builtin_functions.cpp for OpenCL.
#pragma once

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/IntrinsicInst.h>

#include <string>

#include "kernels/program.h"

namespace apmt::frontend {

/// The class of a call; kCall: the callee is unknown and may run code of the program.
kernels::OpClass class_of_known_call(const llvm::CallBase& call);

/// The intrinsic's name for AIWC's opcode metric.
std::string opcode_name_of_intrinsic(const llvm::IntrinsicInst& intrinsic);

}  // namespace apmt::frontend
