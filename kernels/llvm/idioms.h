// Recognises the eight idioms of PMaC (Meswani et al., section II) in the loops of a module:
// docs/kernels.md says what each one is.
#pragma once

#include <llvm/IR/Module.h>

#include <vector>

#include "kernels/program.h"

namespace apmt::frontend {

struct FoundIdiom {
  kernels::Idiom::Kind kind = kernels::Idiom::kStream;
  bool is_alternative = false;             // only if the one before is not confirmed at run time
  const llvm::BasicBlock* loop = nullptr;  // the header
  const llvm::BasicBlock* nest = nullptr;  // of the outermost loop of the idiom
  const llvm::Instruction* statement = nullptr;  // where it stands; nullptr: not known
  std::vector<const llvm::Instruction*> references = {};
};

/// Of a module in canonical form. Functions without loops are examined where they are called: in a
/// copy of the module that has them inlined. All results are of `module` itself.
std::vector<FoundIdiom> find_idioms(llvm::Module& module);

}  // namespace apmt::frontend
