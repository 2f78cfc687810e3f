// Finds loops whose events can be written as one run (kernels/events.h) before the loop begins.
#pragma once

#include <llvm/IR/Function.h>

#include <vector>

namespace apmt::frontend {

struct FoundRun {
  struct Place {
    llvm::Value* address;  // in the first iteration
    llvm::Value* stride;
  };
  llvm::BasicBlock* block;    // the only block of the loop
  llvm::Instruction* before;  // the terminator of the block that enters the loop
  llvm::Value* times;         // number of iterations
  std::vector<Place> places;  // of each access, in order
};

/// Finds the loops of a function whose events can be written as one run, and inserts code that
/// computes the values to which a FoundRun refers.
std::vector<FoundRun> find_runs(llvm::Function& function);

}  // namespace apmt::frontend
