#include "kernels/llvm/vectorised.h"

#include <llvm/Analysis/TargetTransformInfoImpl.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>

#include "kernels/llvm/examined_copy.h"
#include "kernels/llvm/pass_runner.h"

namespace apmt::frontend {
namespace {

using namespace llvm;

/// A target on which every instruction costs the same, scalar or vector, and on which every access
/// can be a vector access.
class WideTarget : public TargetTransformInfoImplCRTPBase<WideTarget> {
 public:
  explicit WideTarget(const DataLayout& layout) : TargetTransformInfoImplCRTPBase(layout) {}

  static TargetIRAnalysis analysis() {
    return TargetIRAnalysis([](const Function& function) {
      return TargetTransformInfo(WideTarget(function.getParent()->getDataLayout()));
    });
  }
  TypeSize getRegisterBitWidth(TargetTransformInfo::RegisterKind kind) const {
    constexpr unsigned kVectorBits = 256, kScalarBits = 64;
    if (kind == TargetTransformInfo::RGK_ScalableVector) return TypeSize::getScalable(0);
    return TypeSize::getFixed(kind == TargetTransformInfo::RGK_FixedWidthVector ? kVectorBits
                                                                                : kScalarBits);
  }
  unsigned getNumberOfRegisters(unsigned) const { return 32; }
  bool isLegalMaskedLoad(Type*, Align) const { return true; }
  bool isLegalMaskedStore(Type*, Align) const { return true; }
  bool isLegalMaskedGather(Type*, Align) const { return true; }
  bool isLegalMaskedScatter(Type*, Align) const { return true; }
};

bool is_vector(const Instruction& instruction) {
  return isa<VectorType>(instruction.getType()) && instruction.getType()->isFPOrFPVectorTy();
}

/// A copy of a module whose instructions are numbered. The number is stored as the line of the
/// debug location, because the vectoriser keeps debug locations but drops unknown metadata.
class NumberedCopy {
 public:
  explicit NumberedCopy(Module& module) : copy_(module) {
    StripDebugInfo(copy_.module());
    DIBuilder builder(copy_.module());
    DIFile* file = builder.createFile("copy", "");
    builder.createCompileUnit(dwarf::DW_LANG_C, file, "apmt", /*isOptimized=*/true, "", 0);
    DISubroutineType* type = builder.createSubroutineType(builder.getOrCreateTypeArray({}));
    for (Function& function : copy_.module())
      if (!function.isDeclaration()) number(function, builder, file, type);
    builder.finalize();
    if (!copy_.module().getModuleFlag("Debug Info Version"))
      copy_.module().addModuleFlag(Module::Warning, "Debug Info Version", DEBUG_METADATA_VERSION);
  }
  Module& module() { return copy_.module(); }
  /// The original of an instruction of the copy; nullptr: it is not a copy of a single instruction.
  const Instruction* original(const Instruction& instruction) const {
    const DebugLoc& location = instruction.getDebugLoc();
    return location && location.getLine() > 0 ? originals_[location.getLine() - 1] : nullptr;
  }

 private:
  void number(Function& function, DIBuilder& builder, DIFile* file, DISubroutineType* type) {
    DISubprogram* scope = builder.createFunction(
        file, function.getName(), function.getName(), file, 1, type, 1, DINode::FlagZero,
        DISubprogram::SPFlagDefinition | DISubprogram::SPFlagOptimized);
    function.setSubprogram(scope);
    for (Instruction& instruction : instructions(function)) {
      originals_.push_back(copy_.original(&instruction));
      const auto line = static_cast<unsigned>(originals_.size());
      instruction.setDebugLoc(DILocation::get(function.getContext(), line, 0, scope));
    }
  }

  ExaminedCopy copy_;
  std::vector<const Instruction*> originals_;
};

/// Removes the metadata by which clang, at -O1, tells LLVM not to unroll loops.
void allow_unrolling(Function& function) {
  for (BasicBlock& block : function)
    if (MDNode* loop = block.getTerminator()->getMetadata(LLVMContext::MD_loop))
      block.getTerminator()->setMetadata(
          LLVMContext::MD_loop, makePostTransformationMetadata(function.getContext(), loop,
                                                               {"llvm.loop.unroll.disable"}, {}));
}

/// As in LLVM's own pipeline: moves invariants out of loops, unrolls short loops of known length,
/// and vectorises the innermost loops that remain.
void vectorise(Module& module) {
  for (Function& function : module) {  // -Os and -Oz would leave loops as they are
    function.removeFnAttr(Attribute::OptimizeForSize);
    function.removeFnAttr(Attribute::MinSize);
    allow_unrolling(function);
  }
  PassRunner runner(WideTarget::analysis());
  runner.find_profiles(module);
  FunctionPassManager passes;
  passes.addPass(LoopSimplifyPass());
  passes.addPass(LCSSAPass());
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), /*UseMemorySSA=*/true));
  constexpr int kOptLevel = 3;
  passes.addPass(createFunctionToLoopPassAdaptor(LoopFullUnrollPass(kOptLevel)));
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(LoopVectorizePass());
  runner.run(passes, module);
}

}  // namespace

DenseSet<const Instruction*> find_vectorised(Module& module) {
  NumberedCopy copy(module);
  vectorise(copy.module());
  DenseSet<const Instruction*> found;
  for (Function& function : copy.module())
    for (const Instruction& instruction : instructions(function))
      if (is_vector(instruction))
        if (const Instruction* original = copy.original(instruction)) found.insert(original);
  return found;
}

}  // namespace apmt::frontend
