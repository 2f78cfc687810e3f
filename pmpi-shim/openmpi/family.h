// Open MPI. A handle is a pointer to an object; predefined handles point to data of the library.
#pragma once

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#include <stdint.h>

#include "pmpi-shim/pointer_handles.h"

namespace apmt::shim {

inline constexpr const char* kFamilyName = "openmpi";
/// Names of the MPI library, to find it if the program has loaded it with RTLD_LOCAL.
inline constexpr const char* kLibraryNames[] = {"libmpi.so.40", "libmpi.so.20", "libmpi.so.12"};

// Limits for each rank: how many open requests the shim can track; how many communicators, windows
// and files (together) it can remember; and how many entries the tables of world ranks have
// together. Only communicators whose world ranks are not an arithmetic sequence need such a table.
inline constexpr uint32_t kOpenRequests = 16384;
inline constexpr uint32_t kCommunicators = 2048;
inline constexpr int32_t kRankTables = 1 << 20;

/// Predefined handles are addresses in the MPI library. The recorder must not be linked to this
/// library, so the handles are looked up by name.
inline constexpr const char* kCommWorldSymbol = "ompi_mpi_comm_world";
inline constexpr const char* kCommNullSymbol = "ompi_mpi_comm_null";
inline constexpr const char* kRequestNullSymbol = "ompi_request_null";
inline constexpr const char* kTypeNullSymbol = "ompi_mpi_datatype_null";
inline constexpr const char* kNoOpSymbol = "ompi_mpi_op_no_op";
template <class Handle>
Handle predefined(void* symbol, uint64_t) {
  return static_cast<Handle>(symbol);
}

inline uint64_t status_bytes(const MPI_Status& status) { return status._ucount; }
inline bool status_cancelled(const MPI_Status& status) { return status._cancelled != 0; }

inline constexpr bool kExchangeHasStatus = true;

}  // namespace apmt::shim
