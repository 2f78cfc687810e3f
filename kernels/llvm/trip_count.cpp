#include "kernels/llvm/trip_count.h"

#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "kernels/llvm/cut.h"

namespace apmt::frontend {

using namespace llvm;

namespace {

SCEVExpander expander_of(const Loop& loop, ScalarEvolution& evolution) {
  return SCEVExpander(evolution, loop.getHeader()->getDataLayout(), "apmt");
}

}  // namespace

bool calls_something(const BasicBlock& block) {
  return any_of(block, [](const Instruction& instruction) { return is_call(instruction); });
}

const SCEV* iterations_less_one(const Loop& loop, ScalarEvolution& evolution) {
  if (!loop.getLoopPreheader() || !loop.getLoopLatch() ||
      loop.getExitingBlock() != loop.getLoopLatch() ||
      any_of(loop.blocks(), [](const BasicBlock* b) { return calls_something(*b); }))
    return nullptr;
  const SCEV* taken = evolution.getBackedgeTakenCount(&loop);
  if (isa<SCEVCouldNotCompute>(taken) || !taken->getType()->isIntegerTy() ||
      taken->getType()->getIntegerBitWidth() > 64)
    return nullptr;
  return is_known_before(loop, taken, evolution) ? taken : nullptr;
}

Value* computed_before(const Loop& loop, const SCEV* value, ScalarEvolution& evolution) {
  SCEVExpander expander = expander_of(loop, evolution);
  return expander.expandCodeFor(value, value->getType(), loop.getLoopPreheader()->getTerminator());
}

bool is_known_before(const Loop& loop, const SCEV* value, ScalarEvolution& evolution) {
  return evolution.isLoopInvariant(value, &loop) &&
         expander_of(loop, evolution)
             .isSafeToExpandAt(value, loop.getLoopPreheader()->getTerminator());
}

}  // namespace apmt::frontend
