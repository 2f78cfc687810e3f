// Chooses the functions that are kernels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/program.h"

namespace apmt::kernels {

/// For each function, whether one of `names` denotes it (kernels/function_names.h).
std::vector<bool> kernels_named(const Program& program, const std::vector<std::string>& names);

/// The kernels if the user names none: functions with loops that call no other function with loops,
/// as far as calls are visible. Parallel regions of OpenMP belong to the function that contains
/// them.
std::vector<bool> kernels_found(const Program& program);

/// The functions and blocks that a kernel can run. `functions[f]`: whether it can run function f.
struct KernelCode {
  std::vector<bool> functions;
  std::vector<std::uint32_t> blocks;
};
/// Finds the code of a kernel if its instruction mix can be computed from how often each block was
/// executed. For that, the kernel must call only instrumented functions, not through pointers, and
/// must not copy or fill blocks of memory (memcpy, memset). Otherwise returns nullopt.
std::optional<KernelCode> countable_code(const Program& program, std::uint32_t kernel);

}  // namespace apmt::kernels
