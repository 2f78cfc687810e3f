// LLVM's analyses of one function. They know no library functions, so that the results depend on
// the source alone.
#pragma once

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

namespace apmt::frontend {

inline const llvm::TargetLibraryInfoImpl& no_library() {
  static const llvm::TargetLibraryInfoImpl nothing = [] {
    llvm::TargetLibraryInfoImpl made;
    made.disableAllFunctions();
    return made;
  }();
  return nothing;
}

struct FunctionAnalyses {
  explicit FunctionAnalyses(llvm::Function& function)
      : dominators(function),
        loops(dominators),
        assumptions(function),
        library(no_library()),
        evolution(function, library, assumptions, dominators, loops) {}

  llvm::DominatorTree dominators;
  llvm::LoopInfo loops;
  llvm::AssumptionCache assumptions;
  llvm::TargetLibraryInfo library;
  llvm::ScalarEvolution evolution;
};

inline bool has_loop(llvm::Function& function) {
  const llvm::DominatorTree dominators(function);
  return !llvm::LoopInfo(dominators).empty();
}

}  // namespace apmt::frontend
