#include "kernels/oclgrind/known_kernels.h"

#include <llvm/IR/Module.h>

#include <algorithm>
#include <cstdio>

#include "kernels/function_names.h"
#include "kernels/program_code.h"

namespace apmt::opencl {

using kernels::Program;

const KnownKernel* KnownKernels::find(const llvm::Function& function) {
  KnownKernel& kernel = kernels_[&function];
  if (!kernel.function) add_kernels_of(*function.getParent());
  if (!kernel.refused.empty())
    std::fprintf(stderr, "apmt: kernel %s is not analysed: %s\n", function.getName().str().c_str(),
                 kernel.refused.c_str());
  kernel.refused.clear();
  return kernel.executed ? &kernel : nullptr;
}

void KnownKernels::add_kernels_of(const llvm::Module& module) {
  SpirProgram described = describe(module, "");
  Recording::Place place;
  if (described.fault.empty()) place = place_of(module, &described);
  for (auto& [instruction, executed] : described.executed)
    if (executed.block != kernels::kNone) executed.block += place.first_block;
  const auto executed = std::make_shared<const ExecutedInstructions>(std::move(described.executed));
  for (const auto& [function, index] : described.kernels) {
    KnownKernel& kernel = kernels_[function];
    kernel = {
        llvm::WeakVH(const_cast<llvm::Function*>(function)), place.first_function + index, {}, {}};
    if (!is_wanted(function->getName().str())) continue;
    kernel.refused = described.fault.empty() ? described.refused.lookup(function) : described.fault;
    if (kernel.refused.empty()) kernel.executed = executed;
  }
}

/// Finds the module in the recording, or adds it. If kernels of another module have the same names,
/// the new kernels get other linkage names, so that their results are kept apart.
Recording::Place KnownKernels::place_of(const llvm::Module& module, SpirProgram* described) {
  std::vector<std::byte> code = encode(described->program);
  const auto same = std::find_if(modules_.begin(), modules_.end(),
                                 [&](const Module& known) { return known.code == code; });
  if (same != modules_.end()) return same->place;
  const auto is_taken = [&](const auto& kernel) {
    return has_kernel_named(kernel.first->getName().str());
  };
  if (std::any_of(described->kernels.begin(), described->kernels.end(), is_taken))
    *described = describe(module, '#' + std::to_string(modules_.size() + 1));
  modules_.push_back({std::move(code), recording_.add(described->program)});
  return modules_.back().place;
}

bool KnownKernels::has_kernel_named(const std::string& linkage_name) const {
  const Program& program = recording_.program();
  return std::any_of(
      program.functions.begin(), program.functions.end(),
      [&](const kernels::Function& f) { return program.name(f.linkage_name) == linkage_name; });
}

bool KnownKernels::is_wanted(const std::string& kernel) const {
  const std::vector<std::string>& names = recording_.settings().kernels;
  return names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
           return kernels::is_named(kernel, kernel, name);
         });
}

}  // namespace apmt::opencl
