// Source positions of instructions and functions, from their debugging information.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instruction.h>

#include <map>
#include <tuple>

#include "kernels/program.h"

namespace apmt::frontend {

class Places {
 public:
  explicit Places(kernels::Program* program) : program_(*program) {}

  /// Index in Program::sites; kNone: the position is unknown.
  std::uint32_t site(const llvm::DebugLoc& location);
  void describe(const llvm::Function& function, kernels::Function* described);

 private:
  std::uint32_t file(const llvm::DIFile* file);
  std::uint32_t inlined(const llvm::DILocation* location);

  kernels::Program& program_;
  std::map<const llvm::DIFile*, std::uint32_t> files_;
  using SiteKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
  std::map<SiteKey, std::uint32_t> sites_;
  std::map<std::pair<const llvm::DISubprogram*, const llvm::DILocation*>, std::uint32_t> inlined_;
};

}  // namespace apmt::frontend
