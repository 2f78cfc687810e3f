// The pass plugin. At the start of the user's pipeline, it brings every function into canonical
// form, describes the module as a Program, and makes two versions of each function (instrument.h).
// Later passes optimise both versions.

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <cstdlib>

#include "kernels/llvm/canonical.h"
#include "kernels/llvm/cut.h"
#include "kernels/llvm/instrument.h"
#include "kernels/llvm/opcodes.h"
#include "kernels/llvm/vectorised.h"
#include "kernels/program_code.h"
#include "kernels/runtime/interface.h"

namespace apmt::frontend {

using namespace llvm;

namespace {

constexpr const char* kDefinedElsewhere = "is defined elsewhere";

/// The most words that the events of a block can have. The block has not been cut after calls yet.
std::size_t most_words(const BasicBlock& block) {
  std::size_t words = 1;
  for (const Instruction& instruction : block)
    if (!is_nothing(instruction)) words += kernels::words_of(class_of(instruction));
  return words;
}

}  // namespace

std::string why_not_instrumented(const Function& function) {
  if (function.isDeclaration() || function.hasAvailableExternallyLinkage())
    return kDefinedElsewhere;
  if (function.hasFnAttribute(Attribute::Naked)) return "is naked";
  if (function.isPresplitCoroutine()) return "is a coroutine";
  for (const User* user : function.users())
    if (isa<GlobalIFunc>(user)) return "runs before the program does (ifunc)";
  for (const BasicBlock& block : function) {
    if (block.hasAddressTaken()) return "jumps to computed labels";
    if (isa<CallBrInst>(block.getTerminator())) return "has assembly that jumps";
    if (block.getTerminatingMustTailCall()) return "has a guaranteed tail call";
    if (isa<FuncletPadInst>(&*block.getFirstNonPHIIt())) return "handles exceptions of another ABI";
    if (most_words(block) > kernels::kBufferWords) return "has a block too long for the buffer";
  }
  return {};
}

namespace {

RuntimeSymbols declare_runtime(Module& module) {
  LLVMContext& context = module.getContext();
  Type* pointer = PointerType::getUnqual(context);
  Type* word = Type::getInt64Ty(context);
  Type* half = Type::getInt32Ty(context);
  Type* nothing = Type::getVoidTy(context);
  RuntimeSymbols symbols;
  symbols.thread = new GlobalVariable(
      module, ArrayType::get(word, sizeof(kernels::Thread) / sizeof(std::uint64_t)), false,
      GlobalValue::ExternalLinkage, nullptr, kernels::kThreadSymbol, nullptr,
      GlobalValue::InitialExecTLSModel);
  symbols.thread->setAlignment(Align(8));
  symbols.record = nullptr;  // set by instrument()
  const AttributeList no_throw = AttributeList().addFnAttribute(context, Attribute::NoUnwind);
  const AttributeList cold = no_throw.addFnAttribute(context, Attribute::Cold);
  symbols.enter =
      module.getOrInsertFunction(kernels::kEnterSymbol, no_throw, half, word, pointer, half);
  symbols.leave = module.getOrInsertFunction(kernels::kLeaveSymbol, no_throw, nothing);
  symbols.resume = module.getOrInsertFunction(kernels::kResumeSymbol, no_throw, nothing, pointer);
  symbols.make_room = module.getOrInsertFunction(kernels::kMakeRoomSymbol, cold, pointer);
  return symbols;
}

GlobalVariable* constant_table(Module& module, Constant* content, const char* name) {
  auto* table = new GlobalVariable(module, content->getType(), true, GlobalValue::PrivateLinkage,
                                   content, name);
  table->setAlignment(Align(8));
  return table;
}

/// Fills in the fields in the order of kernels::ModuleRecord.
void fill_record(Module& module, GlobalVariable* record, ArrayRef<std::byte> program,
                 ArrayRef<std::uint32_t> counter_of) {
  LLVMContext& context = module.getContext();
  const ArrayRef<std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(program.data()),
                                     program.size());
  Type* word = Type::getInt64Ty(context);
  record->setInitializer(ConstantStruct::getAnon(
      {constant_table(module, ConstantDataArray::get(context, bytes), "apmt.program"),
       ConstantInt::get(word, program.size()),
       constant_table(module, ConstantDataArray::get(context, counter_of), "apmt.counter_of"),
       ConstantInt::get(word, counter_of.size()), ConstantInt::get(word, 0),
       ConstantInt::get(word, 0)}));
}

GlobalVariable* declare_record(Module& module) {
  LLVMContext& context = module.getContext();
  Type* pointer = PointerType::getUnqual(context);
  Type* word = Type::getInt64Ty(context);
  auto* type = StructType::get(context, {pointer, word, pointer, word, word, word});
  auto* record = new GlobalVariable(module, type, false, GlobalValue::InternalLinkage,
                                    Constant::getNullValue(type), "apmt.record");
  record->setAlignment(Align(8));
  return record;
}

void register_at_start(Module& module, GlobalVariable* record) {
  LLVMContext& context = module.getContext();
  auto* type = FunctionType::get(Type::getVoidTy(context), false);
  Function* start =
      Function::Create(type, GlobalValue::InternalLinkage, "apmt.register_module", module);
  IRBuilder<> builder(BasicBlock::Create(context, "", start));
  builder.CreateCall(
      module.getOrInsertFunction(kernels::kRegisterSymbol, builder.getVoidTy(), builder.getPtrTy()),
      {record});
  builder.CreateRetVoid();
  appendToGlobalCtors(module, start, /*Priority=*/0);
}

/// Code that the user compiles without optimisation keeps its library calls: if later passes
/// replaced a call, the last digit of its result could change.
void keep_library_calls(Module& module) {
  const TargetLibraryInfoImpl library{Triple(module.getTargetTriple())};
  for (Function& function : module)
    for (Instruction& instruction : instructions(function))
      if (auto* call = dyn_cast<CallBase>(&instruction)) {
        const Function* callee = call->getCalledFunction();
        LibFunc known;
        if (callee && !callee->isIntrinsic() && library.getLibFunc(*callee, known))
          call->addFnAttr(Attribute::NoBuiltin);
      }
}

class Instrument : public PassInfoMixin<Instrument> {
 public:
  static bool isRequired() { return true; }

  PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    if (module.getFunction(kernels::kRegisterSymbol)) return PreservedAnalyses::all();
    canonicalise(module);
    std::vector<Function*> functions;
    for (Function& function : module)
      if (const std::string why = why_not_instrumented(function); why.empty())
        functions.push_back(&function);
      else if (why != kDefinedElsewhere)
        errs() << "apmt: warning: " << demangle(function.getName())
               << " is neither analysed nor counted: it " << why << '\n';
    if (std::getenv("APMT_KEEP_LIBRARY_CALLS")) keep_library_calls(module);
    if (functions.empty()) return PreservedAnalyses::none();

    const std::vector<FoundIdiom> idioms = find_idioms(module);
    const DenseSet<const Instruction*> vectorised = find_vectorised(module);
    for (Function* function : functions) cut_behind_calls(*function);
    const ModuleProgram program = program_of(module, functions, idioms, &vectorised);
    if (const std::string fault = fault_of(program.program); !fault.empty())
      report_fatal_error(Twine("apmt: the description of ") + module.getName() +
                             " is not as it must be: " + fault + "; please report it",
                         /*gen_crash_diag=*/false);
    instrument(module, program);
    if (verifyModule(module, &errs()))
      report_fatal_error(Twine("apmt: what was made of ") + module.getName() +
                             " cannot be compiled; please report it",
                         /*gen_crash_diag=*/false);
    return PreservedAnalyses::none();
  }

 private:
  static void instrument(Module& module, const ModuleProgram& program) {
    RuntimeSymbols runtime = declare_runtime(module);
    std::vector<std::uint32_t> counter_of(program.program.blocks.size());
    runtime.record = declare_record(module);
    for (std::uint32_t i = 0; i < program.functions.size(); ++i) {
      Function& function = *program.functions[i];
      Function* streaming = make_streaming_version(function, program, runtime);
      add_counting(function, program, runtime, &counter_of);
      add_choice(function, *streaming, i, runtime);
    }
    fill_record(module, runtime.record, encode(program.program), counter_of);
    register_at_start(module, runtime.record);
  }
};

}  // namespace
}  // namespace apmt::frontend

extern "C" __attribute__((visibility("default"))) ::llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "apmt-kernels", "1", [](llvm::PassBuilder& builder) {
            builder.registerPipelineStartEPCallback(
                [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
                  passes.addPass(apmt::frontend::Instrument());
                });
          }};
}
