#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>

#include "kernels/llvm/function_analyses.h"
#include "kernels/llvm/instrument.h"
#include "kernels/runtime/interface.h"

namespace apmt::frontend {
namespace {

using namespace llvm;

Value* record_field(IRBuilder<>& builder, const RuntimeSymbols& runtime, std::size_t offset) {
  Value* place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), runtime.record, offset);
  return builder.CreateLoad(builder.getInt64Ty(), place);
}

template <class Call>
Call* like(Call* call, const Function& function) {
  call->setCallingConv(function.getCallingConv());
  call->setAttributes(function.getAttributes());
  return call;
}

void add_return(IRBuilder<>& builder, Value* result) {
  if (result->getType()->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(result);
}

/// Adds `return streaming(arguments...)` to the block.
void add_forward(BasicBlock* block, Function& function, Function& streaming,
                 ArrayRef<Value*> arguments, const DebugLoc& location) {
  IRBuilder<> builder(block);
  builder.SetCurrentDebugLocation(location);
  CallInst* call = like(builder.CreateCall(&streaming, arguments), function);
  if (function.isVarArg()) call->setTailCallKind(CallInst::TCK_MustTail);
  add_return(builder, call);
}

/// Like add_forward(), but the added code also calls __apmt_leave at the end, even if an exception
/// ends the function.
void add_forward_and_leave(BasicBlock* block, Function& function, Value* version,
                           ArrayRef<Value*> arguments, const RuntimeSymbols& runtime,
                           const DebugLoc& location) {
  FunctionType* type = function.getFunctionType();
  LLVMContext& context = function.getContext();
  IRBuilder<> builder(block);
  builder.SetCurrentDebugLocation(location);
  if (function.doesNotThrow()) {
    CallInst* call = like(builder.CreateCall(type, version, arguments), function);
    builder.CreateCall(runtime.leave);
    add_return(builder, call);
    return;
  }
  if (!function.hasPersonalityFn()) {
    FunctionCallee personality = function.getParent()->getOrInsertFunction(
        "__gcc_personality_v0", FunctionType::get(builder.getInt32Ty(), true));
    function.setPersonalityFn(cast<Constant>(personality.getCallee()));
  }
  BasicBlock* returned = BasicBlock::Create(context, "apmt.returned", &function);
  BasicBlock* thrown = BasicBlock::Create(context, "apmt.thrown", &function);
  InvokeInst* call =
      like(builder.CreateInvoke(type, version, returned, thrown, arguments), function);
  builder.SetInsertPoint(returned);
  builder.CreateCall(runtime.leave);
  add_return(builder, call);
  builder.SetInsertPoint(thrown);
  Type* exception = StructType::get(builder.getPtrTy(), builder.getInt32Ty());
  LandingPadInst* pad = builder.CreateLandingPad(exception, 0);
  pad->setCleanup(true);
  builder.CreateCall(runtime.leave);
  builder.CreateResume(pad);
}

/// The function's own address, in a form that hides from the optimiser that the function calls
/// itself; otherwise the optimiser would not inline the function.
Value* itself(BasicBlock* block, Function& function) {
  IRBuilder<> builder(block);
  auto* type = FunctionType::get(builder.getPtrTy(), {builder.getPtrTy()}, false);
  return builder.CreateCall(InlineAsm::get(type, "", "=r,0", /*hasSideEffects=*/false),
                            {&function});
}

/// Whether the function can be a kernel whose blocks are counted. It must have a loop; a function
/// without one is a kernel only if the user names it, and then writes events. The function's symbol
/// must be certain to denote this definition, because the added code calls the function itself.
bool may_be_counted_kernel(Function& function) {
  if (function.isVarArg() || function.isInterposable() || function.hasLinkOnceLinkage() ||
      function.hasWeakLinkage())
    return false;
  return has_loop(function);
}

/// After each return of setjmp, adds code that passes the frame to the runtime, because a longjmp
/// may have left a kernel.
void report_returns_of_setjmp(Function& function, const RuntimeSymbols& runtime) {
  SmallVector<CallInst*, 4> calls;
  for (BasicBlock& block : function)
    for (Instruction& instruction : block)
      if (auto* call = dyn_cast<CallInst>(&instruction);
          call && call->hasFnAttr(Attribute::ReturnsTwice))
        calls.push_back(call);
  for (CallInst* call : calls) {
    IRBuilder<> builder(call->getNextNode());
    builder.SetCurrentDebugLocation(call->getDebugLoc());
    Value* frame = builder.CreateIntrinsic(Intrinsic::frameaddress, {builder.getPtrTy()},
                                           {builder.getInt32(0)});
    builder.CreateCall(runtime.resume, {frame});
  }
}

}  // namespace

void add_choice(Function& function, Function& streaming, std::uint32_t index,
                const RuntimeSymbols& runtime) {
  const bool counts_alone = may_be_counted_kernel(function);
  if (counts_alone) function.removeFnAttr(Attribute::NoRecurse);
  report_returns_of_setjmp(function, runtime);
  report_returns_of_setjmp(streaming, runtime);

  LLVMContext& context = function.getContext();
  BasicBlock* body = &function.getEntryBlock();
  BasicBlock* choose = BasicBlock::Create(context, "apmt.choose", &function, body);
  BasicBlock* ask = BasicBlock::Create(context, "apmt.ask", &function);
  BasicBlock* stream = BasicBlock::Create(context, "apmt.stream", &function);
  // Static allocations must be in the entry block.
  while (auto* alloca = dyn_cast<AllocaInst>(&*body->getFirstNonPHIOrDbg())) {
    if (!isa<Constant>(alloca->getArraySize())) break;
    alloca->moveBefore(*choose, choose->end());
  }
  const DebugLoc location = DILocation::get(
      context, function.getSubprogram() ? function.getSubprogram()->getLine() : 0, 0,
      function.getSubprogram() ? static_cast<DIScope*>(function.getSubprogram()) : nullptr);
  const DebugLoc known = function.getSubprogram() ? location : DebugLoc();

  IRBuilder<> builder(choose);
  builder.SetCurrentDebugLocation(known);
  Value* thread = builder.CreateThreadLocalAddress(runtime.thread);
  Value* mode = builder.CreateLoad(
      builder.getInt32Ty(), builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), thread,
                                                               offsetof(kernels::Thread, mode)));
  Value* counts = builder.CreateICmpEQ(
      mode, builder.getInt32(static_cast<std::uint32_t>(kernels::Mode::kCount)));
  builder.CreateCondBr(counts, body, ask, MDBuilder(context).createBranchWeights(1 << 20, 1));

  builder.SetInsertPoint(ask);
  Value* number = builder.CreateAdd(
      record_field(builder, runtime, offsetof(kernels::ModuleRecord, first_function)),
      builder.getInt64(index));
  Value* frame =
      builder.CreateIntrinsic(Intrinsic::frameaddress, {builder.getPtrTy()}, {builder.getInt32(0)});
  const kernels::Ending ending = function.isVarArg() ? kernels::Ending::kCannotLeave
                                 : counts_alone      ? kernels::Ending::kMayCount
                                                     : kernels::Ending::kLeaves;
  Value* answer = builder.CreateCall(
      runtime.enter, {number, frame, builder.getInt32(static_cast<std::uint32_t>(ending))});
  SwitchInst* choice = builder.CreateSwitch(answer, body, 3);
  choice->addCase(builder.getInt32(static_cast<std::uint32_t>(kernels::Entered::kStreams)), stream);

  SmallVector<Value*, 8> arguments;
  for (Argument& argument : function.args()) arguments.push_back(&argument);
  add_forward(stream, function, streaming, arguments, known);
  if (function.isVarArg()) return;
  BasicBlock* leave = BasicBlock::Create(context, "apmt.leave", &function);
  choice->addCase(builder.getInt32(static_cast<std::uint32_t>(kernels::Entered::kLeaves)), leave);
  add_forward_and_leave(leave, function, &streaming, arguments, runtime, known);
  if (!counts_alone) return;
  BasicBlock* counted = BasicBlock::Create(context, "apmt.counted", &function);
  choice->addCase(builder.getInt32(static_cast<std::uint32_t>(kernels::Entered::kCountsAndLeaves)),
                  counted);
  Value* self = itself(counted, function);
  add_forward_and_leave(counted, function, self, arguments, runtime, known);
}

}  // namespace apmt::frontend
