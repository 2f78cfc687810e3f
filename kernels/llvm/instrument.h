// Makes two versions of each function: one counts its blocks, the other writes events.
#pragma once

#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

#include <vector>

#include "kernels/llvm/module_program.h"

namespace apmt::frontend {

/// The runtime's symbols that instrumented code refers to, declared in the module.
struct RuntimeSymbols {
  llvm::GlobalVariable* thread;  // thread-local: kernels::Thread
  llvm::GlobalVariable* record;  // kernels::ModuleRecord of this module
  llvm::FunctionCallee enter, leave, resume, make_room;
};

/// Why a function cannot be instrumented, such as "is a coroutine"; empty: it can.
std::string why_not_instrumented(const llvm::Function& function);

/// Adds the counters to `function`, and sets `counter_of` of each of its blocks to the block whose
/// counter is used. If the number of iterations of a loop is known when the loop is entered, the
/// blocks that every iteration executes are counted there.
void add_counting(llvm::Function& function, const ModuleProgram& module,
                  const RuntimeSymbols& runtime, std::vector<std::uint32_t>* counter_of);

/// A copy of `function` that writes events; it has to be made before counters are added.
llvm::Function* make_streaming_version(llvm::Function& function, const ModuleProgram& module,
                                       const RuntimeSymbols& runtime);

/// Makes `function` ask the runtime, at its start, which version to run.
void add_choice(llvm::Function& function, llvm::Function& streaming, std::uint32_t index,
                const RuntimeSymbols& runtime);

}  // namespace apmt::frontend
