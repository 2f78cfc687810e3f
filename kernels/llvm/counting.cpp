#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "kernels/llvm/function_analyses.h"
#include "kernels/llvm/instrument.h"
#include "kernels/llvm/our_memory.h"
#include "kernels/llvm/trip_count.h"
#include "kernels/runtime/interface.h"

namespace apmt::frontend {
namespace {

using namespace llvm;

class Counting {
 public:
  Counting(Function& function, const ModuleProgram& module, const RuntimeSymbols& runtime,
           std::vector<std::uint32_t>* counter_of)
      : function_(function),
        module_(module),
        runtime_(runtime),
        counter_of_(*counter_of),
        analyses_(function),
        dominators_(analyses_.dominators),
        loops_(analyses_.loops),
        evolution_(analyses_.evolution),
        post_dominators_(function),
        memory_(function.getContext()) {}

  void run() {
    choose_counters();
    plan_loops();
    add_setup();
    for (BasicBlock* block : in_place_)
      increment(&*block->getFirstInsertionPt(), *block, ConstantInt::get(word_, 1));
    for (const auto& [loop, blocks] : at_entry_) add_at_entry(*loop, blocks);
    memory_.keep_others_out(function_);
  }

 private:
  std::uint32_t index(const BasicBlock& block) const { return module_.block_index.lookup(&block); }

  /// Lets blocks that are executed equally often share a counter. A call might not return, so a
  /// block shares the counter of an earlier block only if no call can lie between them: the loop
  /// (or the function) calls nothing; or the earlier block calls nothing, its only successor is the
  /// later block, and the later block has no other predecessor.
  void choose_counters() {
    const ReversePostOrderTraversal<const Function*> order(&function_);
    const bool is_tangled = containsIrreducibleCFG<const BasicBlock*>(order, loops_);
    const bool is_straight = none_of(function_, calls_something);
    DenseMap<const Loop*, bool> calls;
    for (const Loop* loop : loops_.getLoopsInPreorder())
      calls[loop] = any_of(loop->blocks(), [](const BasicBlock* b) { return calls_something(*b); });
    for (auto* node : depth_first(dominators_.getRootNode())) {
      BasicBlock* block = node->getBlock();
      counter_of_[index(*block)] = index(*block);
      const auto* above = node->getIDom();
      if (!above) continue;
      const BasicBlock* earlier = above->getBlock();
      const Loop* loop = loops_.getLoopFor(block);
      const bool no_calls = !is_tangled && (loop ? !calls.lookup(loop) : is_straight);
      const bool is_chain = block->getSinglePredecessor() == earlier &&
                            earlier->getSingleSuccessor() == block && !calls_something(*earlier);
      if (is_chain || (no_calls && loop == loops_.getLoopFor(earlier) &&
                       post_dominators_.dominates(block, earlier)))
        counter_of_[index(*block)] = counter_of_[index(*earlier)];
    }
  }

  void plan_loops() {
    for (auto* node : depth_first(dominators_.getRootNode())) {
      BasicBlock* block = node->getBlock();
      if (counter_of_[index(*block)] != index(*block)) continue;
      Loop* loop = loops_.getLoopFor(block);
      if (loop &&
          dominators_.dominates(block, loop->getLoopLatch() ? loop->getLoopLatch() : block) &&
          loop->getLoopLatch() && iterations_less_one(*loop, evolution_))
        at_entry_[loop].push_back(block);
      else
        in_place_.push_back(block);
    }
  }

  void add_setup() {
    LLVMContext& context = function_.getContext();
    word_ = Type::getInt64Ty(context);
    IRBuilder<> builder(&*function_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    Value* thread = builder.CreateThreadLocalAddress(runtime_.thread);
    Value* counts = builder.CreateLoad(
        builder.getPtrTy(), builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), thread,
                                                               offsetof(kernels::Thread, counts)));
    Value* first = builder.CreateLoad(
        word_, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), runtime_.record,
                                                  offsetof(kernels::ModuleRecord, first_block)));
    counters_ = builder.CreateGEP(word_, counts, first, "apmt.counters");
    behind_setup_ = &*builder.GetInsertPoint();
  }

  void increment(Instruction* at, const BasicBlock& block, Value* by) {
    if (at->getParent()->isEntryBlock() && at->comesBefore(behind_setup_)) at = behind_setup_;
    IRBuilder<> builder(at);
    Value* place = builder.CreateConstInBoundsGEP1_64(word_, counters_, index(block));
    LoadInst* before = builder.CreateLoad(word_, place);
    StoreInst* store = builder.CreateStore(builder.CreateAdd(before, by), place);
    memory_.add(before);
    memory_.add(store);
  }

  void add_at_entry(Loop& loop, ArrayRef<BasicBlock*> blocks) {
    Instruction* at = loop.getLoopPreheader()->getTerminator();
    Value* less_one = computed_before(loop, evolution_.getBackedgeTakenCount(&loop), evolution_);
    IRBuilder<> builder(at);
    Value* times = builder.CreateAdd(builder.CreateZExt(less_one, word_), builder.getInt64(1));
    for (const BasicBlock* block : blocks) increment(at, *block, times);
  }

  Function& function_;
  const ModuleProgram& module_;
  const RuntimeSymbols& runtime_;
  std::vector<std::uint32_t>& counter_of_;
  FunctionAnalyses analyses_;
  DominatorTree& dominators_;
  LoopInfo& loops_;
  ScalarEvolution& evolution_;
  PostDominatorTree post_dominators_;

  std::vector<BasicBlock*> in_place_;
  MapVector<Loop*, std::vector<BasicBlock*>> at_entry_;
  Type* word_ = nullptr;
  Value* counters_ = nullptr;
  Instruction* behind_setup_ = nullptr;
  OurMemory memory_;
};

}  // namespace

void add_counting(Function& function, const ModuleProgram& module, const RuntimeSymbols& runtime,
                  std::vector<std::uint32_t>* counter_of) {
  Counting(function, module, runtime, counter_of).run();
}

}  // namespace apmt::frontend
