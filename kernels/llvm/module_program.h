// Describes a module as a Program.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/Module.h>

#include <vector>

#include "kernels/llvm/idioms.h"
#include "kernels/program.h"

namespace apmt::frontend {

/// A Program, with the functions and blocks of the module that it describes.
struct ModuleProgram {
  kernels::Program program;
  std::vector<llvm::Function*> functions;  // in the order of the Program
  llvm::DenseMap<const llvm::BasicBlock*, std::uint32_t> block_index;
};

/// Describes `functions`, whose blocks have been cut (cut.h). `vectorised`: the operations of the
/// module that the vectoriser can turn into vector operations; nullptr: not examined.
ModuleProgram program_of(llvm::Module& module, const std::vector<llvm::Function*>& functions,
                         const std::vector<FoundIdiom>& idioms,
                         const llvm::DenseSet<const llvm::Instruction*>* vectorised);

}  // namespace apmt::frontend
