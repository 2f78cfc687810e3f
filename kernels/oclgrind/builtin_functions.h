// OpenCL's built-in functions: their operation classes, and those that a kernels::Program cannot
// describe.
//  * A mathematical or geometric function is one operation on each element of its result.
//  * Work-item queries (get_global_id) and conversions are ordinary instructions.
//  * Any other function without a body (printf) is a blind spot.
#pragma once

#include <llvm/IR/InstrTypes.h>

#include <string>

namespace apmt::opencl {

/// Why a kernels::Program cannot describe a kernel that makes this call, as the end of a sentence;
/// empty: it can.
std::string why_not_described(const llvm::CallBase& call);

}  // namespace apmt::opencl
