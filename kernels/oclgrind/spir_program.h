// Makes a kernels::Program (kernels/program.h) from the LLVM module of an OpenCL program that
// Oclgrind interprets. Uses LLVM 14.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Module.h>

#include <string>

#include "kernels/program.h"

namespace apmt::opencl {

/// What each execution of an instruction adds to the stream of events. Instructions without an
/// entry add nothing.
struct Executed {
  std::uint32_t block = kernels::kNone;                // the block that it begins
  kernels::OpClass access = kernels::OpClass::kOther;  // kOther: it has no words in the stream
};
using ExecutedInstructions = llvm::DenseMap<const llvm::Instruction*, Executed>;

struct SpirProgram {
  kernels::Program program;
  ExecutedInstructions executed;
  llvm::DenseMap<const llvm::Function*, std::uint32_t> kernels;  // function indices in `program`
  llvm::DenseMap<const llvm::Function*, std::string> refused;    // kernels, with the reason
  std::string fault;  // not empty: the Program is invalid and must not be used
};

/// Describes a module, which stays unchanged. `suffix` is appended to the linkage names in the
/// description.
SpirProgram describe(const llvm::Module& module, const std::string& suffix);

}  // namespace apmt::opencl
