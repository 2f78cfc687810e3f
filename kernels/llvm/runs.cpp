#include "kernels/llvm/runs.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <optional>

#include "kernels/events.h"
#include "kernels/llvm/opcodes.h"
#include "kernels/llvm/trip_count.h"

namespace apmt::frontend {
namespace {

using namespace llvm;

struct Progress {
  const SCEV* address;
  const SCEV* stride;
};

/// How an address advances with the iterations of a loop; nullopt: start or stride is not known
/// before the loop.
std::optional<Progress> progress_of(Value* pointer, const Loop& loop, ScalarEvolution& evolution) {
  if (pointer->getType()->getPointerAddressSpace() != 0) return std::nullopt;
  const SCEV* address = evolution.getSCEV(pointer);
  Progress found{address, evolution.getZero(Type::getInt64Ty(pointer->getContext()))};
  if (const auto* advancing = dyn_cast<SCEVAddRecExpr>(address);
      advancing && advancing->getLoop() == &loop && advancing->isAffine())
    found = {advancing->getStart(), advancing->getStepRecurrence(evolution)};
  if (!is_known_before(loop, found.address, evolution) ||
      !is_known_before(loop, found.stride, evolution))
    return std::nullopt;
  return found;
}

std::optional<FoundRun> run_of(const Loop& loop, ScalarEvolution& evolution) {
  if (loop.getNumBlocks() != 1) return std::nullopt;
  const SCEV* less_one = iterations_less_one(loop, evolution);
  if (!less_one) return std::nullopt;
  std::vector<Progress> all;
  for (Instruction& instruction : *loop.getHeader()) {
    const unsigned words = is_nothing(instruction) ? 0 : kernels::words_of(class_of(instruction));
    if (words == 0) continue;
    const auto found =
        words == 1 ? progress_of(address_operand(instruction), loop, evolution) : std::nullopt;
    if (!found || all.size() == kernels::kMostRunWords) return std::nullopt;
    all.push_back(*found);
  }

  FoundRun run{loop.getHeader(), loop.getLoopPreheader()->getTerminator(), nullptr, {}};
  IRBuilder<> builder(run.before);
  Value* last = computed_before(loop, less_one, evolution);
  Type* word = builder.getInt64Ty();
  run.times = builder.CreateAdd(builder.CreateZExt(last, word), builder.getInt64(1));
  for (const Progress& progress : all)
    run.places.push_back({computed_before(loop, progress.address, evolution),
                          computed_before(loop, progress.stride, evolution)});
  return run;
}

}  // namespace

std::vector<FoundRun> find_runs(Function& function) {
  FunctionAnalyses analyses(function);
  std::vector<FoundRun> runs;
  for (const Loop* loop : analyses.loops.getLoopsInPreorder())
    if (std::optional<FoundRun> run = run_of(*loop, analyses.evolution))
      runs.push_back(std::move(*run));
  return runs;
}

}  // namespace apmt::frontend
