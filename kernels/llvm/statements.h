// The statements of a loop. A statement is a value that is stored, folded into one variable, tested
// or passed to a function, together with the loads from which it is computed.
#pragma once

#include <vector>

#include "kernels/llvm/linear_place.h"

namespace apmt::frontend {

struct Access {
  const llvm::Instruction* instruction = nullptr;
  LinearPlace place;
};

/// An element that an earlier iteration accessed and whose value is still in a register.
struct EarlierAccess {
  LinearPlace place;
  unsigned iterations = 1;  // how many iterations ago
};

struct Statement {
  enum class Sink { kStore, kFold, kTest, kArgument };
  Sink sink = Sink::kStore;
  /// The store, the folding phi, the branch or the call.
  const llvm::Instruction* instruction = nullptr;
  /// The value that is stored, folded or tested.
  const llvm::Value* value = nullptr;
  /// The place that is written.
  Access target = {};
  /// The load of the previous value in an update in place; the phi or load of a fold.
  const llvm::Instruction* own = nullptr;
  /// The loads in this loop that the value is computed from, without `own`.
  std::vector<Access> loads = {};
  /// The loads of those other statements whose target is the same.
  std::vector<Access> beside = {};
  std::vector<EarlierAccess> earlier = {};
  /// Whether the value depends on one that an earlier iteration computed (not only loaded), apart
  /// from the running value of its own fold.
  bool is_recurrent = false;
};

/// The statements of `places.loop()` without those of inner loops.
std::vector<Statement> statements_of(LinearPlaces& places, llvm::LoopInfo& loops);

}  // namespace apmt::frontend
