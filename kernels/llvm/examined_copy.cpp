#include "kernels/llvm/examined_copy.h"

#include <llvm/Analysis/InlineCost.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "kernels/llvm/function_analyses.h"

namespace apmt::frontend {

using namespace llvm;

namespace {

constexpr unsigned kLargestCallee = 5000;    // instructions
constexpr unsigned kLargestCaller = 100000;  // nothing is inlined into larger functions
constexpr int kRounds = 6;                   // depth of calls

/// Calls inside the loops of a function.
SmallVector<CallBase*, 16> calls_in_loops(Function& function) {
  const DominatorTree dominators(function);
  const LoopInfo loops(dominators);
  SmallVector<CallBase*, 16> calls;
  for (Instruction& instruction : instructions(function))
    if (auto* call = dyn_cast<CallBase>(&instruction);
        call && loops.getLoopFor(call->getParent()) && !call->isMustTailCall())
      calls.push_back(call);
  return calls;
}

}  // namespace

ExaminedCopy::ExaminedCopy(Module& module) {
  ValueToValueMapTy copies;
  copy_ = CloneModule(module, copies);
  kind_ = copy_->getContext().getMDKindID("apmt.instruction");
  Type* word = Type::getInt32Ty(copy_->getContext());
  for (const Function& function : module)
    for (const BasicBlock& block : function) {
      blocks_[cast<BasicBlock>(copies[&block])] = &block;
      for (const Instruction& instruction : block) {
        auto* copy = cast<Instruction>(copies[&instruction]);
        Metadata* number = ConstantAsMetadata::get(ConstantInt::get(word, instructions_.size()));
        copy->setMetadata(kind_, MDNode::get(copy_->getContext(), number));
        instructions_.push_back(&instruction);
      }
    }
  inline_into_loops();
}

/// Callees are chosen before anything is inlined, so that inlining does not affect the choice.
void ExaminedCopy::inline_into_loops() {
  DenseMap<const Function*, bool> is_examined;
  for (Function& function : *copy_)
    is_examined[&function] = !function.isDeclaration() && !function.isVarArg() &&
                             !function.isPresplitCoroutine() && !has_loop(function) &&
                             function.getInstructionCount() <= kLargestCallee &&
                             isInlineViable(function).isSuccess();
  for (Function& function : *copy_) {
    if (function.isDeclaration() || is_examined.lookup(&function) || !has_loop(function)) continue;
    for (int round = 0; round < kRounds; ++round) {
      bool is_changed = false;
      for (CallBase* call : calls_in_loops(function)) {
        const Function* callee = call->getCalledFunction();
        if (!callee || !is_examined.lookup(callee) ||
            function.getInstructionCount() > kLargestCaller)
          continue;
        InlineFunctionInfo info;
        is_changed |= InlineFunction(*call, info).isSuccess();
      }
      if (!is_changed) break;
    }
  }
}

const Instruction* ExaminedCopy::original(const Instruction* instruction) const {
  const MDNode* node = instruction->getMetadata(kind_);
  if (!node) return nullptr;
  const auto* number = mdconst::extract<ConstantInt>(node->getOperand(0));
  return instructions_[number->getZExtValue()];
}

}  // namespace apmt::frontend
