// What a loop does itself, statement by statement: what is stored, folded into one place, tested or
// handed to a function, and what it is computed from.
#pragma once

#include <llvm/ADT/SmallPtrSet.h>

#include <memory>
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
  const llvm::Instruction* instruction =
      nullptr;                         // the store, the folding phi, the branch, the call
  const llvm::Value* value = nullptr;  // that is stored or folded
  Access target = {};                  // of a store
  const llvm::Instruction* own =
      nullptr;                      // what an update in place loads; of a fold: the phi or load
  std::vector<Access> loads = {};   // the value is computed from, in this loop; without `own`
  std::vector<Access> beside = {};  // loads of other statements that store to the target
  std::vector<EarlierAccess> earlier = {};
  bool is_recurrent =
      false;  // computed from what an earlier iteration computed, other than by a fold
};

/// The statements of `places.loop()` outside the loops in it.
std::vector<Statement> statements_of(LinearPlaces& places, llvm::LoopInfo& loops);

}  // namespace apmt::frontend
