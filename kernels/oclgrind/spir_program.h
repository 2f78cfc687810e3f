// The module of an OpenCL program, as Oclgrind interprets it, as a Program. LLVM 14.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Module.h>

#include <string>

#include "kernels/program.h"

namespace apmt::opencl {

/// What it means for the events that an instruction of the module was executed. Others mean
/// nothing.
struct Executed {
  std::uint32_t block = kernels::kNone;                // the one that it is the first of
  kernels::OpClass access = kernels::OpClass::kOther;  // it has words in the stream
};

struct SpirProgram {
  kernels::Program program;
  llvm::DenseMap<const llvm::Instruction*, Executed> executed;
  llvm::DenseMap<const llvm::Function*, std::uint32_t> kernels;  // functions of the Program
  llvm::DenseMap<const llvm::Function*, std::string> refused;    // kernels, and why
  std::string fault;                                             // of the Program: not to be used
};

/// The module itself is not changed. `suffix` is appended to the linkage names of its functions.
SpirProgram describe(const llvm::Module& module, const std::string& suffix);

}  // namespace apmt::opencl
