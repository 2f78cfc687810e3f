// Definitions for MPIs whose handles are pointers. The family.h of such an MPI first includes the
// MPI's own header, which declares the handles, and then this header.
#pragma once

#include <stdint.h>

namespace apmt::shim {

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
using SessionArg = void*;  // Open MPI before 5 and SMPI declare no sessions
using Session = void*;

template <class Handle>
uint64_t handle_bits(Handle handle) {
  return reinterpret_cast<uintptr_t>(handle);
}

// Predefined handles have no fixed bits; they are looked up by name.
inline constexpr uint64_t kCommWorldBits = 0;
inline constexpr uint64_t kCommNullBits = 0;
inline constexpr uint64_t kRequestNullBits = 0;
inline constexpr uint64_t kTypeNullBits = 0;
inline constexpr uint64_t kNoOpBits = 0;

/// Size of a datatype if its handle contains it; 0 = ask MPI.
inline uint64_t size_in_handle(MPI_Datatype) { return 0; }

}  // namespace apmt::shim
