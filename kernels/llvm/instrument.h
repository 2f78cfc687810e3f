// Two versions of each function: one counts its blocks, the other writes events.
#pragma once

#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

#include <vector>

#include "kernels/llvm/module_program.h"

namespace apmt::frontend {

/// What instrumented code refers to, declared in the module.
struct RuntimeSymbols {
  llvm::GlobalVariable* thread;  // thread-local: kernels::Thread
  llvm::GlobalVariable* record;  // kernels::ModuleRecord of this module
  llvm::FunctionCallee enter, leave, resume, make_room;
};

/// Why a function cannot be instrumented; empty: it can.
std::string why_not_instrumented(const llvm::Function& function);

/// Adds the counters to `function`. Sets for each of its blocks the block with whose counter it is
/// counted; a loop whose number of iterations is known when it begins is counted there.
void add_counting(llvm::Function& function, const ModuleProgram& module,
                  const RuntimeSymbols& runtime, std::vector<std::uint32_t>* counter_of);

/// A copy of `function`, made before counters were added, that writes events.
llvm::Function* make_streaming_version(llvm::Function& function, const ModuleProgram& module,
                                       const RuntimeSymbols& runtime);

/// Lets `function` ask at its beginning which version is to run.
void add_choice(llvm::Function& function, llvm::Function& streaming, std::uint32_t index,
                const RuntimeSymbols& runtime);

}  // namespace apmt::frontend
