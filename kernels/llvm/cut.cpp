#include "kernels/llvm/cut.h"

#include <llvm/IR/Instructions.h>

#include "kernels/llvm/opcodes.h"

namespace apmt::frontend {

using namespace llvm;

bool is_call(const Instruction& instruction) {
  const auto* call = dyn_cast<CallBase>(&instruction);
  return call && !call->isInlineAsm() && class_of(instruction) == OpClass::kCall;
}

bool ends_block(const Instruction& instruction) {
  const OpClass op = class_of(instruction);
  return op == OpClass::kCall || op == OpClass::kBarrier;
}

bool ends_with_call(const BasicBlock& block) {
  const Instruction* terminator = block.getTerminator();
  const auto* branch = dyn_cast<BranchInst>(terminator);
  if (!branch || branch->isConditional()) return false;
  const Instruction* last = terminator->getPrevNode();
  return last && ends_block(*last) && block.getSingleSuccessor()->getSinglePredecessor() == &block;
}

void cut_behind_calls(Function& function) {
  for (auto block = function.begin(); block != function.end(); ++block)
    for (Instruction& instruction : *block) {
      if (instruction.isTerminator() || !ends_block(instruction)) continue;
      block->splitBasicBlock(instruction.getNextNode(), block->getName() + ".on");
      block->getTerminator()->setDebugLoc(instruction.getDebugLoc());
      break;  // the rest is the next block
    }
}

}  // namespace apmt::frontend
