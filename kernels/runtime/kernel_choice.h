// Chooses the functions that are kernels.
#pragma once

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

}  // namespace apmt::kernels
