// OpenCL's built-in functions: what they are to the analysers, and which of them cannot be
// described.
//  * A mathematical or geometric function is one operation on each element of its result.
//  * Functions that ask for the work-item's place, and conversions, are instructions like any
//  other.
//  * Any other function without a body (printf) is a blind spot.
#pragma once

#include <llvm/IR/InstrTypes.h>

#include <string>

namespace apmt::opencl {

/// Why a kernel that makes this call cannot be described, as the end of a sentence; empty: it can.
std::string why_not_described(const llvm::CallBase& call);

}  // namespace apmt::opencl
