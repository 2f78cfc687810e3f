#include "kernels/oclgrind/spir_program.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <memory>
#include <set>
#include <vector>

#include "kernels/llvm/cut.h"
#include "kernels/llvm/module_program.h"
#include "kernels/llvm/opcodes.h"
#include "kernels/oclgrind/builtin_functions.h"

namespace apmt::opencl {
namespace {

using namespace llvm;

bool is_kernel(const Function& function) {
  return function.getCallingConv() == CallingConv::SPIR_KERNEL;
}

/// Examines the kernel and all functions that it calls; empty: it can be analysed.
std::string why_not_analysed(const Function& kernel) {
  std::set<const Function*> seen;
  std::vector<const Function*> reached = {&kernel};
  while (!reached.empty()) {
    const Function* function = reached.back();
    reached.pop_back();
    if (function->isDeclaration() || !seen.insert(function).second) continue;
    for (const llvm::Instruction& instruction : instructions(*function))
      if (const auto* call = dyn_cast<CallBase>(&instruction)) {
        if (std::string why = why_not_described(*call); !why.empty()) return why;
        reached.push_back(call->getCalledFunction());
      }
  }
  return {};
}

}  // namespace

SpirProgram describe(const Module& module, const std::string& suffix) {
  // Blocks are cut in a copy, because Oclgrind is about to interpret the module itself.
  ValueToValueMapTy copies;
  const std::unique_ptr<Module> copy = CloneModule(module, copies);
  std::vector<Function*> functions;
  for (const Function& function : module) {
    if (function.isDeclaration()) continue;
    functions.push_back(cast<Function>(copies[&function]));
    functions.back()->setName(function.getName() + suffix);
    frontend::cut_behind_calls(*functions.back());
  }
  frontend::ModuleProgram described =
      frontend::program_of(*copy, functions, /*idioms=*/{}, /*vectorised=*/nullptr);

  SpirProgram result;
  result.fault = fault_of(described.program);
  result.program = std::move(described.program);
  std::uint32_t index = 0;
  for (const Function& function : module) {
    if (function.isDeclaration()) continue;
    if (is_kernel(function)) {
      result.kernels[&function] = index;
      if (std::string why = why_not_analysed(function); !why.empty())
        result.refused[&function] = why;
    }
    ++index;
    for (const llvm::Instruction& instruction : instructions(function)) {
      const auto* copied = cast<llvm::Instruction>(copies[&instruction]);
      Executed executed;
      if (copied == &copied->getParent()->front())
        executed.block = described.block_index.lookup(copied->getParent());
      if (!frontend::is_nothing(instruction)) {
        const kernels::OpClass op = frontend::class_of(instruction);
        if (kernels::words_of(op) > 0) executed.access = op;
      }
      if (executed.block != kernels::kNone || executed.access != kernels::OpClass::kOther)
        result.executed[&instruction] = executed;
    }
  }
  return result;
}

}  // namespace apmt::opencl
