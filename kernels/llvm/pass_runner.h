// Runs LLVM's passes on the functions of a module. The analyses know no library functions, so that
// the results depend on the source alone.
#pragma once

#include <llvm/Analysis/ProfileSummaryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Passes/PassBuilder.h>

#include <optional>

#include "kernels/llvm/function_analyses.h"

namespace apmt::frontend {

class PassRunner {
 public:
  /// If `target` is absent, the passes do not consider what instructions cost on any target.
  explicit PassRunner(std::optional<llvm::TargetIRAnalysis> target = std::nullopt) {
    functions_.registerPass([] { return llvm::TargetLibraryAnalysis(no_library()); });
    if (target) functions_.registerPass([&] { return *target; });
    builder_.registerModuleAnalyses(modules_);
    builder_.registerCGSCCAnalyses(components_);
    builder_.registerFunctionAnalyses(functions_);
    builder_.registerLoopAnalyses(loops_);
    builder_.crossRegisterProxies(loops_, functions_, components_, modules_);
  }
  /// Finds out whether there are execution profiles of the module, because the vectoriser asks for
  /// them.
  void find_profiles(llvm::Module& module) {
    modules_.getResult<llvm::ProfileSummaryAnalysis>(module);
  }
  void run(llvm::FunctionPassManager& passes, llvm::Module& module) {
    for (llvm::Function& function : module)
      if (!function.isDeclaration()) passes.run(function, functions_);
    functions_.clear();
  }

 private:
  llvm::PassBuilder builder_;
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager components_;
  llvm::ModuleAnalysisManager modules_;
};

}  // namespace apmt::frontend
