#include "kernels/llvm/known_calls.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace apmt::frontend {

using namespace llvm;
using kernels::OpClass;

/// Recognises calls to memcpy, memmove and memset by name: with -fno-builtin, the compiler does not
/// treat these functions as built-in.
OpClass class_of_known_call(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration() || call.arg_size() != 3 || isa<InvokeInst>(call))
    return OpClass::kCall;
  const StringRef name = callee->getName();
  if (name == "memcpy" || name == "memmove") return OpClass::kCopyMemory;
  if (name == "memset") return OpClass::kFillMemory;
  return OpClass::kCall;
}

std::string opcode_name_of_intrinsic(const IntrinsicInst& intrinsic) {
  return Intrinsic::getBaseName(intrinsic.getIntrinsicID()).str();
}

}  // namespace apmt::frontend
