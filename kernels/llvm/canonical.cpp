#include "kernels/llvm/canonical.h"

#include <llvm/ADT/SCCIterator.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LowerExpectIntrinsic.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include <set>

#include "kernels/llvm/pass_runner.h"

namespace apmt::frontend {
namespace {

using namespace llvm;

void add_scalar_passes(FunctionPassManager& passes) {
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(SimplifyCFGPass());
  passes.addPass(InstCombinePass());
}

/// Hides intrinsics that InstCombine would replace with calculations whose rounding is different.
class HiddenIntrinsics {
 public:
  explicit HiddenIntrinsics(Module& module) : module_(module) {
    for (Function& function : module)
      for (Instruction& instruction : instructions(function))
        if (auto* call = dyn_cast<IntrinsicInst>(&instruction);
            call &&
            (call->getIntrinsicID() == Intrinsic::pow || call->getIntrinsicID() == Intrinsic::exp2))
          hide(call);
  }
  ~HiddenIntrinsics() {
    for (auto& [stand_in, intrinsic] : hidden_) {
      stand_in->replaceAllUsesWith(intrinsic);
      stand_in->eraseFromParent();
    }
  }
  HiddenIntrinsics(const HiddenIntrinsics&) = delete;
  HiddenIntrinsics& operator=(const HiddenIntrinsics&) = delete;

 private:
  void hide(IntrinsicInst* call) {
    Function* intrinsic = call->getCalledFunction();
    const std::string name = ("__apmt_hidden." + intrinsic->getName()).str();
    Function* stand_in = module_.getFunction(name);
    if (!stand_in) {
      stand_in = Function::Create(intrinsic->getFunctionType(), GlobalValue::ExternalLinkage, name,
                                  &module_);
      stand_in->setDoesNotThrow();
      stand_in->setDoesNotAccessMemory();
      stand_in->setWillReturn();
      hidden_.push_back({stand_in, intrinsic});
    }
    call->setCalledFunction(stand_in);
  }

  Module& module_;
  SmallVector<std::pair<Function*, Function*>, 4> hidden_;
};

/// While this object exists, functions compiled with -Os or -Oz lack the attributes of these
/// options, with which some passes (such as the rotation of loops) would do less.
class WithoutSizeLimits {
 public:
  explicit WithoutSizeLimits(Module& module) : module_(module) {
    for (Function& function : module)
      for (const Attribute::AttrKind kind : kKinds)
        if (function.hasFnAttribute(kind)) {
          limited_.insert({&function, kind});
          function.removeFnAttr(kind);
        }
  }
  ~WithoutSizeLimits() {
    for (Function& function : module_)  // some may have been erased
      for (const Attribute::AttrKind kind : kKinds)
        if (limited_.contains({&function, kind})) function.addFnAttr(kind);
  }
  WithoutSizeLimits(const WithoutSizeLimits&) = delete;
  WithoutSizeLimits& operator=(const WithoutSizeLimits&) = delete;

 private:
  static constexpr Attribute::AttrKind kKinds[] = {Attribute::MinSize, Attribute::OptimizeForSize};
  Module& module_;
  std::set<std::pair<const Function*, Attribute::AttrKind>> limited_;
};

constexpr unsigned kSmall = 40;  // most instructions of a function that is inlined

bool is_small(Function& function) {
  if (function.isDeclaration() || function.isInterposable() || function.isVarArg() ||
      function.hasFnAttribute(Attribute::NoInline) ||
      function.hasFnAttribute(Attribute::OptimizeNone) || function.isPresplitCoroutine() ||
      function.getInstructionCount() > kSmall)
    return false;
  return !has_loop(function);
}

/// Inlines callees before their callers, so that a function's size includes what was inlined into
/// it.
void inline_small_functions(Module& module) {
  SmallVector<Function*, 64> bottom_up;
  CallGraph graph(module);
  for (auto component = scc_begin(&graph); !component.isAtEnd(); ++component) {
    if (component.hasCycle()) continue;
    if (Function* function = component->front()->getFunction()) bottom_up.push_back(function);
  }
  for (Function* callee : bottom_up) {
    const bool always = callee->hasFnAttribute(Attribute::AlwaysInline);
    if (callee->isDeclaration() || !(always || is_small(*callee))) continue;
    if (!isInlineViable(*callee).isSuccess()) continue;
    SmallVector<CallBase*, 16> calls;
    for (User* user : callee->users())
      if (auto* call = dyn_cast<CallBase>(user))
        if (call->getCalledFunction() == callee && call->getFunction() != callee &&
            !call->isNoInline() && !call->isMustTailCall() &&
            !call->getFunction()->hasFnAttribute(Attribute::OptimizeNone))
          calls.push_back(call);
    for (CallBase* call : calls) {
      InlineFunctionInfo info;
      InlineFunction(*call, info, /*MergeAttributes=*/true);
    }
    callee->removeDeadConstantUsers();
    if (callee->isDefTriviallyDead() && !callee->hasComdat()) callee->eraseFromParent();
  }
}

}  // namespace

void canonicalise(Module& module) {
  const HiddenIntrinsics hidden(module);
  const WithoutSizeLimits unlimited(module);
  PassRunner passes;
  FunctionPassManager first;
  first.addPass(LowerExpectIntrinsicPass());
  add_scalar_passes(first);
  passes.run(first, module);

  inline_small_functions(module);
  // These passes run even if nothing was inlined, so that the form of a function does not depend on
  // other functions.
  FunctionPassManager again;
  add_scalar_passes(again);
  passes.run(again, module);

  FunctionPassManager loops;
  loops.addPass(LoopSimplifyPass());
  loops.addPass(LCSSAPass());
  loops.addPass(createFunctionToLoopPassAdaptor(LoopRotatePass(/*EnableHeaderDuplication=*/true),
                                                /*UseMemorySSA=*/true));
  // As in LLVM's own pipeline: merges the copies of a counter that loop rotation made.
  loops.addPass(SimplifyCFGPass());
  loops.addPass(InstCombinePass());
  loops.addPass(createFunctionToLoopPassAdaptor(IndVarSimplifyPass()));
  passes.run(loops, module);
}

}  // namespace apmt::frontend
