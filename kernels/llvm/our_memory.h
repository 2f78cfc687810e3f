// Tells the optimiser that the accesses of inserted code never touch the program's data.
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/MDBuilder.h>

#include "kernels/llvm/cut.h"

namespace apmt::frontend {

class OurMemory {
 public:
  explicit OurMemory(llvm::LLVMContext& context) {
    llvm::MDBuilder metadata(context);
    llvm::MDNode* domain = metadata.createAnonymousAliasScopeDomain("apmt");
    scope_ = llvm::MDNode::get(context, metadata.createAnonymousAliasScope(domain, "apmt"));
  }

  void add(llvm::Instruction* access) {
    access->setMetadata(llvm::LLVMContext::MD_alias_scope, scope_);
    ours_.insert(access);
  }

  /// Tells the optimiser that all other accesses of the function touch other memory. Calls are
  /// excepted, because their callees may count blocks.
  void keep_others_out(llvm::Function& function) const {
    for (llvm::BasicBlock& block : function)
      for (llvm::Instruction& instruction : block) {
        if (ours_.contains(&instruction) || !instruction.mayReadOrWriteMemory() ||
            is_call(instruction))
          continue;
        llvm::MDNode* before = instruction.getMetadata(llvm::LLVMContext::MD_noalias);
        instruction.setMetadata(llvm::LLVMContext::MD_noalias,
                                llvm::MDNode::concatenate(before, scope_));
      }
  }

 private:
  llvm::MDNode* scope_;
  llvm::DenseSet<const llvm::Instruction*> ours_;
};

}  // namespace apmt::frontend
