// SimGrid's SMPI. The ranks of a program take turns in one process, on a simulated cluster. A
// handle is a pointer to an object of the simulator. Every rank has its own objects; only
// predefined handles are common to all ranks.
#pragma once

#include <smpi/smpi.h>
#include <stdint.h>

#include <type_traits>

#include "pmpi-shim/pointer_handles.h"

namespace apmt::shim {

inline constexpr const char* kFamilyName = "smpi";
/// Name of the MPI library, to find it where dlsym(RTLD_NEXT) does not find it.
inline constexpr const char* kLibraryNames[] = {"libsimgrid.so"};

// Limits for each rank, as in mpich/family.h. Small, because a process has hundreds of ranks.
inline constexpr uint32_t kOpenRequests = 4096;
inline constexpr uint32_t kCommunicators = 256;
inline constexpr int32_t kRankTables = 1 << 16;

/// MPI_COMM_WORLD is a variable of the library. The null communicator and the null request are null
/// pointers. The other predefined handles are addresses of objects.
inline constexpr const char* kCommWorldSymbol = "MPI_COMM_WORLD";
inline constexpr const char* kCommNullSymbol = nullptr;
inline constexpr const char* kRequestNullSymbol = nullptr;
inline constexpr const char* kTypeNullSymbol = "smpi_MPI_DATATYPE_NULL";
inline constexpr const char* kNoOpSymbol = "smpi_MPI_NO_OP";
template <class Handle>
Handle predefined(void* symbol, uint64_t) {
  if (symbol == nullptr) return nullptr;
  if constexpr (std::is_same_v<Handle, MPI_Comm>) return *static_cast<Handle*>(symbol);
  return static_cast<Handle>(symbol);
}

inline uint64_t status_bytes(const MPI_Status& status) {
  return status.count > 0 ? static_cast<uint64_t>(status.count) : 0;
}
inline bool status_cancelled(const MPI_Status& status) { return status.cancelled != 0; }

inline constexpr bool kExchangeHasStatus = true;

}  // namespace apmt::shim
