// Finds the address in the program from which MPI was called. A call from Fortran returns into
// MPI's Fortran library; the program's own function is one or two frames further up the stack.
#pragma once

#include <stdint.h>

namespace apmt::shim {

/// To be called at MPI_Init: looks for MPI's Fortran libraries among the loaded objects.
void find_bindings();

/// How many loaded objects may hold Fortran bindings; 0 in programs without Fortran, or if no
/// search is possible.
extern uint32_t g_binding_count;
uint64_t caller_behind_binding(uint64_t return_address, uintptr_t frame);

/// The address at which the program called MPI. `frame` is the frame of the wrapper, which returns
/// to `return_address`.
inline uint64_t program_caller(uint64_t return_address, uintptr_t frame) {
  return g_binding_count == 0 ? return_address : caller_behind_binding(return_address, frame);
}

}  // namespace apmt::shim
