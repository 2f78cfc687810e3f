// Functions that a front end knows by their names although they are defined elsewhere. What it
// knows is linked with it: known_calls.cpp for native code, kernels/oclgrind/builtin_functions.cpp
// for OpenCL.
#pragma once

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/IntrinsicInst.h>

#include <string>

#include "kernels/program.h"

namespace apmt::frontend {

/// kCall: it is not known, and may run code of the program.
kernels::OpClass class_of_known_call(const llvm::CallBase& call);

/// What it is called where opcodes are counted.
std::string opcode_name_of_intrinsic(const llvm::IntrinsicInst& intrinsic);

}  // namespace apmt::frontend
