// Recognises the eight idioms of PMaC (Meswani et al., section II) in the loops of a module.
// docs/kernels.md describes them.
#pragma once

#include <llvm/IR/Module.h>

#include <vector>

#include "kernels/program.h"

namespace apmt::frontend {

struct FoundIdiom {
  kernels::Idiom::Kind kind = kernels::Idiom::kStream;
  bool is_alternative = false;  // counts only if the run does not confirm the previous idiom
  const llvm::BasicBlock* loop = nullptr;        // the header
  const llvm::BasicBlock* nest = nullptr;        // the header of the outermost loop of the idiom
  const llvm::Instruction* statement = nullptr;  // has the source position; nullptr: unknown
  std::vector<const llvm::Instruction*> references = {};
};

/// Finds the idioms of a module in canonical form. Functions without loops are examined where they
/// are called, in a copy of the module with these calls inlined. The results refer to `module`.
std::vector<FoundIdiom> find_idioms(llvm::Module& module);

}  // namespace apmt::frontend
