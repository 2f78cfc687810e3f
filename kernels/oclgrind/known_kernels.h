// The kernels that ran, and the descriptions of their modules. A module is described when one of
// its kernels first runs; if the host builds the same source again, the description is reused.
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

struct KnownKernel {
  llvm::WeakVH function;    // null once it is deleted: a new function may get its address
  std::uint32_t index = 0;  // in the Program of the recording
  /// The instructions of the kernel's module, with block indices in the Program of the recording;
  /// nullptr: the kernel is not analysed.
  std::shared_ptr<const ExecutedInstructions> executed;
  std::string refused;  // why the kernel cannot be analysed; empty once the user has been told
};

class KnownKernels {
 public:
  explicit KnownKernels(Recording& recording) : recording_(recording) {}

  /// Finds a kernel; nullptr: it is not analysed. If it cannot be analysed, the user is told once.
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
