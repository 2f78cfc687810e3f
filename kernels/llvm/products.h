// Recognises products of matrices and vectors: c += a * b in three loops, each of which changes the
// indices of exactly two of the three operands. For a matrix and a vector there are two such loops.
#pragma once

#include <optional>

#include "kernels/llvm/statements.h"

namespace apmt::frontend {

struct Product {
  const llvm::Loop* outermost = nullptr;
  std::vector<const llvm::Instruction*> factors;  // loads
};

/// The product over the innermost `loops` loops around the statement (3: of two matrices; 2: of a
/// matrix and a vector); nullopt: it is not a product.
std::optional<Product> product_of(const Statement& statement, LinearPlaces& places,
                                  llvm::LoopInfo& info, unsigned loops);

}  // namespace apmt::frontend
