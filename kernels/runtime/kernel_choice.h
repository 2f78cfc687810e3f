// Which functions are kernels.
#pragma once

#include <string>
#include <vector>

#include "kernels/program.h"

namespace apmt::kernels {

/// For each function whether it is one of those named (kernels/function_names.h).
std::vector<bool> kernels_named(const Program& program, const std::vector<std::string>& names);

/// Where the user names none: functions with loops that call, as far as the program tells, no other
/// function with loops. Parallel regions of OpenMP belong to the function that they are written in.
std::vector<bool> kernels_found(const Program& program);

}  // namespace apmt::kernels
