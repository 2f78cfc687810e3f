// Determines the idioms of a statement.
#pragma once

#include "kernels/llvm/statements.h"
#include "kernels/program.h"

namespace apmt::frontend {

struct Classified {
  kernels::Idiom::Kind kind = kernels::Idiom::kStream;
  bool is_alternative = false;  // counts only if the run does not confirm the previous idiom
  const llvm::Loop* outermost = nullptr;
  std::vector<const llvm::Instruction*> references;
};

std::vector<Classified> classify(const Statement& statement, LinearPlaces& places,
                                 llvm::LoopInfo& loops);

}  // namespace apmt::frontend
