// The kernels that ran, and what is known of the modules they are in. A module is described when
// one of its kernels first runs; a host that builds the same source again gets the same functions
// of the Program.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/ValueHandle.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/oclgrind/recording.h"
#include "kernels/oclgrind/spir_program.h"

namespace apmt::opencl {

using ExecutedInstructions = llvm::DenseMap<const llvm::Instruction*, Executed>;

struct KnownKernel {
  llvm::WeakVH function;    // nothing once it is deleted: another may get its address
  std::uint32_t index = 0;  // in the Program of the recording
  std::shared_ptr<const ExecutedInstructions>
      executed;         // blocks as in that Program; nullptr: not analysed
  std::string refused;  // why, until the user was told
};

class KnownKernels {
 public:
  explicit KnownKernels(Recording& recording) : recording_(recording) {}

  /// nullptr: the kernel is not to be analysed. Where it cannot be, the user is told once.
  const KnownKernel* find(const llvm::Function& kernel);

 private:
  struct Module {
    std::vector<std::byte> code;
    Recording::Place place;
  };

  void add_kernels_of(const llvm::Module& module);
  Recording::Place place_of(const llvm::Module& module, SpirProgram* described);
  bool has_kernel_named(const std::string& linkage_name) const;
  bool is_wanted(const std::string& kernel) const;

  Recording& recording_;
  std::map<const llvm::Function*, KnownKernel> kernels_;
  std::vector<Module> modules_;
};

}  // namespace apmt::opencl
