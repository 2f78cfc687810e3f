// Open MPI. A handle is a pointer to an object; predefined handles point to data of the library.
#pragma once

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#include <stdint.h>

namespace apmt::shim {

inline constexpr const char* kFamilyName = "openmpi";
/// Names of the MPI library, to find it if the program has loaded it privately.
inline constexpr const char* kLibraryNames[] = {"libmpi.so.40", "libmpi.so.20", "libmpi.so.12"};

// How many open requests, and how many communicators and similar objects, the shim can track for a
// rank; and how many world ranks all tables of irregular communicators can hold together.
inline constexpr uint32_t kOpenRequests = 16384;
inline constexpr uint32_t kCommunicators = 2048;
inline constexpr int32_t kRankTables = 1 << 20;

// The types of handles that are passed by value.
using CommArg = MPI_Comm;
using TypeArg = MPI_Datatype;
using GroupArg = MPI_Group;
using InfoArg = MPI_Info;
using ErrhandlerArg = MPI_Errhandler;
using OpArg = MPI_Op;
using WinArg = MPI_Win;
using FileArg = MPI_File;
using RequestArg = MPI_Request;
using MessageArg = MPI_Message;
using SessionArg = void*;  // releases before 5 do not declare sessions
using Session = void*;

template <class Handle>
uint64_t handle_bits(Handle handle) {
  return reinterpret_cast<uintptr_t>(handle);
}

/// Predefined handles are addresses in the MPI library. The recorder must not be linked to it, so
/// they are looked up by name.
inline constexpr const char* kCommWorldSymbol = "ompi_mpi_comm_world";
inline constexpr const char* kCommNullSymbol = "ompi_mpi_comm_null";
inline constexpr const char* kRequestNullSymbol = "ompi_request_null";
inline constexpr const char* kTypeNullSymbol = "ompi_mpi_datatype_null";
inline constexpr const char* kNoOpSymbol = "ompi_mpi_op_no_op";
template <class Handle>
Handle predefined(void* symbol, uint64_t) {
  return static_cast<Handle>(symbol);
}
inline constexpr uint64_t kCommWorldBits = 0;
inline constexpr uint64_t kCommNullBits = 0;
inline constexpr uint64_t kRequestNullBits = 0;
inline constexpr uint64_t kTypeNullBits = 0;
inline constexpr uint64_t kNoOpBits = 0;

inline uint64_t status_bytes(const MPI_Status& status) { return status._ucount; }
inline bool status_cancelled(const MPI_Status& status) { return status._cancelled != 0; }

inline constexpr bool kExchangeHasStatus = true;

/// Size of a datatype if its handle contains it; 0 = ask MPI.
inline uint64_t size_in_handle(MPI_Datatype) { return 0; }

}  // namespace apmt::shim
