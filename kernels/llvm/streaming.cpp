#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "kernels/events.h"
#include "kernels/llvm/instrument.h"
#include "kernels/llvm/opcodes.h"
#include "kernels/llvm/our_memory.h"
#include "kernels/llvm/runs.h"
#include "kernels/runtime/interface.h"

namespace apmt::frontend {
namespace {

using namespace llvm;

/// Inserts the code that writes the events of one function.
class EventWriter {
 public:
  EventWriter(Function& function, const RuntimeSymbols& runtime)
      : runtime_(runtime),
        word_(Type::getInt64Ty(function.getContext())),
        memory_(function.getContext()) {
    IRBuilder<> at(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    thread_ = at.CreateThreadLocalAddress(runtime.thread);
    end_ = at.CreateConstInBoundsGEP1_64(at.getInt8Ty(), thread_, offsetof(kernels::Thread, end));
    Value* first = at.CreateConstInBoundsGEP1_64(at.getInt8Ty(), runtime.record,
                                                 offsetof(kernels::ModuleRecord, first_block));
    first_block_ = at.CreateLoad(word_, first, "apmt.first");
    behind_setup_ = &*at.GetInsertPoint();
  }

  /// A block reserves room for all its words when it is entered, so that the words of a signal
  /// handler that interrupts the block come after the block's words.
  void add(BasicBlock& block, std::uint32_t index) {
    SmallVector<Instruction*, 16> accesses;
    unsigned words = 1;
    for (Instruction& instruction : block)
      if (const unsigned more = words_of(instruction); more != 0) {
        accesses.push_back(&instruction);
        words += more;
      }
    Instruction* start = block.isEntryBlock() ? behind_setup_ : &*block.getFirstInsertionPt();
    Value* at = take(start, words);
    IRBuilder<> builder(start);
    put(builder, at, 0, builder.CreateAdd(first_block_, builder.getInt64(index)));
    unsigned place = 1;
    for (Instruction* access : accesses) place = put_access(access, at, place);
  }

  /// Inserts code that writes the events of a whole loop before the loop begins.
  void add(const FoundRun& run, std::uint32_t index) {
    Value* at = take(run.before, 2 + 2 * static_cast<unsigned>(run.places.size()));
    IRBuilder<> builder(run.before);
    Value* mark = builder.getInt64(kernels::mark(kernels::Mark::kRun));
    put(builder, at, 0, builder.CreateOr(mark, run.times));
    put(builder, at, 1, builder.CreateAdd(first_block_, builder.getInt64(index)));
    unsigned place = 2;
    for (const auto& [address, stride] : run.places) {
      put(builder, at, place++, builder.CreatePtrToInt(address, word_));
      put(builder, at, place++, builder.CreateSExtOrTrunc(stride, word_));
    }
  }

  void finish(Function& function) { memory_.keep_others_out(function); }

 private:
  unsigned words_of(const Instruction& instruction) const {
    if (&instruction == first_block_ || is_nothing(instruction)) return 0;
    return kernels::words_of(class_of(instruction));
  }

  /// Inserts code before `start` that takes room for `words` words. Returns their address.
  Value* take(Instruction* start, unsigned words) {
    IRBuilder<> builder(start);
    LoadInst* at = builder.CreateLoad(builder.getPtrTy(), thread_, "apmt.at");
    Value* next = builder.CreateConstGEP1_64(word_, at, words);
    LoadInst* end = builder.CreateLoad(builder.getPtrTy(), end_, "apmt.end");
    memory_.add(at);
    memory_.add(end);
    Value* is_full = builder.CreateICmpUGT(next, end);
    MDNode* unlikely = MDBuilder(builder.getContext()).createBranchWeights(1, 1 << 20);
    BasicBlock* before = start->getParent();
    Instruction* full = SplitBlockAndInsertIfThen(is_full, start, false, unlikely);
    builder.SetInsertPoint(full);
    Value* emptied = builder.CreateCall(runtime_.make_room);
    builder.SetInsertPoint(start);
    PHINode* place = builder.CreatePHI(builder.getPtrTy(), 2, "apmt.place");
    place->addIncoming(at, before);
    place->addIncoming(emptied, full->getParent());
    memory_.add(builder.CreateStore(builder.CreateConstGEP1_64(word_, place, words), thread_));
    return place;
  }

  void put(IRBuilder<>& builder, Value* at, unsigned place, Value* word) {
    memory_.add(builder.CreateStore(word, builder.CreateConstInBoundsGEP1_64(word_, at, place)));
  }

  unsigned put_access(Instruction* access, Value* at, unsigned place) {
    IRBuilder<> builder(access);
    const auto put_word = [&](Value* value) {
      if (value->getType()->isPointerTy())
        value = builder.CreatePtrToInt(value, word_);
      else
        value = builder.CreateZExtOrTrunc(value, word_);
      put(builder, at, place++, value);
    };
    const OpClass op = class_of(*access);
    if (op == OpClass::kCopyMemory || op == OpClass::kFillMemory) {
      const MemoryBlockOperands block = memory_block_operands(*access);
      put_word(block.destination);
      if (op == OpClass::kCopyMemory) put_word(block.source);
      put_word(block.bytes);
    } else {
      put_word(address_operand(*access));
    }
    return place;
  }

  const RuntimeSymbols& runtime_;
  Type* word_;
  Value* thread_;
  Value* end_;
  Value* first_block_;
  Instruction* behind_setup_;
  OurMemory memory_;
};

}  // namespace

Function* make_streaming_version(Function& function, const ModuleProgram& module,
                                 const RuntimeSymbols& runtime) {
  ValueToValueMapTy copies;
  Function* streaming = CloneFunction(&function, copies);
  streaming->setName(function.getName() + ".apmt.events");
  streaming->setLinkage(GlobalValue::InternalLinkage);
  streaming->setVisibility(GlobalValue::DefaultVisibility);
  streaming->setDSOLocal(true);
  // Every object file needs its own copy, because block numbers differ between object files. If the
  // copy stayed in the function's COMDAT group, the linker might discard it, although code into
  // which the function was inlined calls it.
  streaming->setComdat(nullptr);
  streaming->removeFnAttr(Attribute::AlwaysInline);
  streaming->addFnAttr(Attribute::NoInline);

  MapVector<BasicBlock*, std::uint32_t> indices;
  for (const BasicBlock& block : function)
    indices[cast<BasicBlock>(copies[&block])] = module.block_index.lookup(&block);
  const std::vector<FoundRun> runs = find_runs(*streaming);  // before add() splits blocks
  EventWriter writer(*streaming, runtime);
  const auto is_run = [&](const BasicBlock* block) {
    return any_of(runs, [&](const FoundRun& run) { return run.block == block; });
  };
  for (const auto& [block, index] : indices)
    if (!is_run(block)) writer.add(*block, index);
  for (const FoundRun& run : runs) writer.add(run, indices.lookup(run.block));
  writer.finish(*streaming);
  return streaming;
}

}  // namespace apmt::frontend
