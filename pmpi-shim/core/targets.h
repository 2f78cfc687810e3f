// The functions that the wrappers call: MPI's, or those of another tool preloaded after apmt.
#pragma once

#include "pmpi-shim/core/ops.h"
#include "pmpi-shim/core/turns.h"

namespace apmt::shim {

struct Target {
  void* next;  // for calls by the program: another tool's MPI_X, else MPI's PMPI_X
  void* real;  // for calls by MPI or by the recorder: MPI's PMPI_X
};
extern Target g_targets[kOpCount];

/// Looks up `op` now; a function that this MPI lacks is replaced by one that returns an error.
const Target& resolve(Op op);
/// Looks up all operations, at MPI_Init.
void resolve_all();
/// False if this MPI lacks `op`.
bool exists(Op op);
/// A data object of the MPI library, or nullptr.
void* mpi_symbol(const char* name);

inline void* next_function(Op op) {
  void* f = __atomic_load_n(&g_targets[number(op)].next, __ATOMIC_RELAXED);
  return f != nullptr ? f : resolve(op).next;
}
inline void* real_function(Op op) {
  void* f = __atomic_load_n(&g_targets[number(op)].real, __ATOMIC_RELAXED);
  return f != nullptr ? f : resolve(op).real;
}

/// Calls MPI for the recorder: local functions only, never one that communicates.
template <Op op, class... T>
int pmpi(T... arguments) {
  [[maybe_unused]] const Turn turn;
  return reinterpret_cast<int (*)(T...)>(real_function(op))(arguments...);
}

}  // namespace apmt::shim
