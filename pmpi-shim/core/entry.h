// Macros that define one exported function for each MPI call listed in a file of calls/. A source
// includes this header and the plans of those calls. Then, inside the namespace, it includes the
// file of calls/.
// Each function is exported under two names, MPI_X and PMPI_X: MPI's Fortran bindings call either,
// and is_nested() must see every call. The names are set with __asm__, not in C++, because some
// handle types differ from those in mpi.h (see family.h).
#pragma once

#include "pmpi-shim/core/argument_lists.h"
#include "pmpi-shim/core/wrapper.h"

#define APMT_DEFINE(name, width, plan, ...)                                                 \
  extern "C" __attribute__((visibility("default"))) int apmt_##name(                        \
      APMT_PARAMETERS(width, __VA_ARGS__)) __asm__("MPI_" #name);                           \
  extern "C" __attribute__((visibility("default"), alias("MPI_" #name))) int apmt_p_##name( \
      APMT_PARAMETERS(width, __VA_ARGS__)) __asm__("PMPI_" #name);                          \
  int apmt_##name(APMT_PARAMETERS(width, __VA_ARGS__)) {                                    \
    return wrap<Op::k##name, plan>(RoleList<APMT_ROLES(__VA_ARGS__)>{},                     \
                                   __builtin_return_address(0),                             \
                                   __builtin_frame_address(0) APMT_ARGUMENTS(__VA_ARGS__)); \
  }

#define APMT_CALL(name, op_class, plan, ...) \
  APMT_DEFINE(name, Width::kNarrow, plan __VA_OPT__(, ) __VA_ARGS__)
#define APMT_CALL_C(name, op_class, plan, ...)                       \
  APMT_DEFINE(name, Width::kNarrow, plan __VA_OPT__(, ) __VA_ARGS__) \
  APMT_DEFINE(name##_c, Width::kWide, plan __VA_OPT__(, ) __VA_ARGS__)
#define APMT_CALL_WIDE(name, op_class, plan, ...) \
  APMT_DEFINE(name, Width::kWide, plan __VA_OPT__(, ) __VA_ARGS__)
#define APMT_UNTOUCHED(name)
