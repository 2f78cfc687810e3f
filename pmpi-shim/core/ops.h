// A number for every MPI function that is interposed. In a recording, 0 means "outside MPI".
#pragma once

#include <stdint.h>

#include "profiler/profile_format.h"

namespace apmt::shim {

enum class Op : uint32_t {
  kNone = 0,
#define APMT_CALL(name, ...) k##name,
#define APMT_CALL_C(name, ...) k##name, k##name##_c,
#define APMT_CALL_WIDE(name, ...) k##name,
#include "pmpi-shim/mpi_calls.def"
  kCount
};
inline constexpr uint32_t kOpCount = static_cast<uint32_t>(Op::kCount);
static_assert(kOpCount <= format::kMaxOps);

/// All operations, indexed by number, in the format of the recording.
extern const format::Op kOpTable[kOpCount];

constexpr uint32_t number(Op op) { return static_cast<uint32_t>(op); }

}  // namespace apmt::shim
