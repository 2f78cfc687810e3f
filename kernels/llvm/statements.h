// What a loop does itself, statement by statement: what is stored, folded into one place, tested or
// handed to a function, and what it is computed from.
#pragma once

#include <vector>

#include "kernels/llvm/linear_place.h"

namespace apmt::frontend {

struct Access {
  const llvm::Instruction* instruction = nullptr;
  LinearPlace place;
};

/// An element that an earlier iteration accessed, whose value a register still holds.
struct EarlierAccess {
  LinearPlace place;
  unsigned iterations = 1;  // ago
};

struct Statement {
  enum class Sink { kStore, kFold, kTest, kArgument };
  Sink sink = Sink::kStore;
  /// The store, the folding phi, the branch or the call.
  const llvm::Instruction* instruction = nullptr;
  /// That is stored or folded.
  const llvm::Value* value = nullptr;
  /// Of a store.
  Access target = {};
  /// What an update in place loads; of a fold: the phi or the load.
  const llvm::Instruction* own = nullptr;
  /// What the value is computed from, in this loop; without `own`.
  std::vector<Access> loads = {};
  /// Loads of other statements that store to the target.
  std::vector<Access> beside = {};
  std::vector<EarlierAccess> earlier = {};
  /// Computed from what an earlier iteration computed, other than by a fold.
  bool is_recurrent = false;
};

/// The statements of `places.loop()` outside the loops in it.
std::vector<Statement> statements_of(LinearPlaces& places, llvm::LoopInfo& loops);

}  // namespace apmt::frontend
