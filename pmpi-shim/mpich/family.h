// MPICH and libraries with its ABI (Intel MPI, MVAPICH, Cray MPICH). A handle is an int that
// contains the kind of object and, for built-in datatypes, the size.
#pragma once

#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <stdint.h>

namespace apmt::shim {

inline constexpr const char* kFamilyName = "mpich";
/// Names of the MPI library, to find it if the program has loaded it with RTLD_LOCAL.
inline constexpr const char* kLibraryNames[] = {"libmpich.so.12", "libmpi.so.12",
                                                "libmpi_cray.so.12", "libmpi_gnu.so.12"};

// Limits for each rank: how many open requests the shim can track; how many communicators, windows
// and files (together) it can remember; and how many entries the tables of world ranks have
// together. Only communicators whose world ranks are not an arithmetic sequence need such a table.
inline constexpr uint32_t kOpenRequests = 16384;
inline constexpr uint32_t kCommunicators = 2048;
inline constexpr int32_t kRankTables = 1 << 20;

// Types of handles that are passed by value. MPICH's handles have 32 bits, but these types have 64.
// So the wrappers pass handles on undamaged even if this library is preloaded by mistake into a
// program whose MPI has pointers as handles.
using CommArg = uint64_t;
using TypeArg = uint64_t;
using GroupArg = uint64_t;
using InfoArg = uint64_t;
using ErrhandlerArg = uint64_t;
using OpArg = uint64_t;
using WinArg = uint64_t;
using FileArg = MPI_File;  // a pointer in MPICH, too
using RequestArg = uint64_t;
using MessageArg = uint64_t;
using SessionArg = uint64_t;
using Session = int;

inline uint64_t handle_bits(int handle) { return static_cast<uint32_t>(handle); }
inline uint64_t handle_bits(MPI_File handle) { return reinterpret_cast<uintptr_t>(handle); }

inline constexpr const char* kCommWorldSymbol = nullptr;
inline constexpr const char* kCommNullSymbol = nullptr;
inline constexpr const char* kRequestNullSymbol = nullptr;
inline constexpr const char* kTypeNullSymbol = nullptr;
inline constexpr const char* kNoOpSymbol = nullptr;
template <class Handle>
Handle predefined(void*, uint64_t bits) {
  return static_cast<Handle>(bits);
}
inline constexpr uint64_t kCommWorldBits = static_cast<uint32_t>(MPI_COMM_WORLD);
inline constexpr uint64_t kCommNullBits = static_cast<uint32_t>(MPI_COMM_NULL);
inline constexpr uint64_t kRequestNullBits = static_cast<uint32_t>(MPI_REQUEST_NULL);
inline constexpr uint64_t kTypeNullBits = static_cast<uint32_t>(MPI_DATATYPE_NULL);
inline constexpr uint64_t kNoOpBits = static_cast<uint32_t>(MPI_NO_OP);

inline uint64_t status_bytes(const MPI_Status& status) {
  const uint64_t high = static_cast<uint32_t>(status.count_hi_and_cancelled) >> 1;
  return (high << 32) | static_cast<uint32_t>(status.count_lo);
}
inline bool status_cancelled(const MPI_Status& status) {
  return (status.count_hi_and_cancelled & 1) != 0;
}

/// In MPICH 4.0.2, the status of a finished MPI_Isendrecv holds the values of an earlier request.
inline constexpr bool kExchangeHasStatus = false;

/// Size of a datatype if its handle contains it; 0 = ask MPI.
inline uint64_t size_in_handle(MPI_Datatype type) {
  constexpr uint32_t kBuiltin = 0x4c000000;
  const uint32_t bits = static_cast<uint32_t>(type);
  return (bits & 0xffff0000) == kBuiltin ? (bits >> 8) & 0xff : 0;
}

}  // namespace apmt::shim
