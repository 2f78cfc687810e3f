// A copy of a module in which functions without loops are inlined where loops call them. It maps
// the instructions and blocks of the copy back to the originals in the module.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <vector>

namespace apmt::frontend {

class ExaminedCopy {
 public:
  explicit ExaminedCopy(llvm::Module& module);

  llvm::Module& module() { return *copy_; }
  /// The original of a block (or instruction) of the copy; nullptr: it has none.
  const llvm::BasicBlock* original(const llvm::BasicBlock* block) const {
    return blocks_.lookup(block);
  }
  const llvm::Instruction* original(const llvm::Instruction* instruction) const;

 private:
  void inline_into_loops();

  std::unique_ptr<llvm::Module> copy_;
  llvm::DenseMap<const llvm::BasicBlock*, const llvm::BasicBlock*> blocks_;
  std::vector<const llvm::Instruction*> instructions_;  // by the number in their metadata
  unsigned kind_ = 0;
};

}  // namespace apmt::frontend
