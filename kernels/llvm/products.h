// Products of matrices and vectors: c += a * b, where each of three loops (or two) moves exactly
// two of the three operands.
#pragma once

#include <optional>

#include "kernels/llvm/statements.h"

namespace apmt::frontend {

struct Product {
  const llvm::Loop* outermost = nullptr;
  std::vector<const llvm::Instruction*> factors;  // loads
};

/// Over the innermost `loops` (3: of two matrices; 2: of a matrix and a vector) around the
/// statement; nullopt: it is none.
std::optional<Product> product_of(const Statement& statement, LinearPlaces& places,
                                  llvm::LoopInfo& info, unsigned loops);

}  // namespace apmt::frontend
