// Macros that define one exported function for each MPI call listed in a file of the folder calls/.
// A source file includes this header and the plans of those calls. Then, inside the namespace, it
// includes the file with the list. Each function is exported under two names, MPI_X and PMPI_X,
// because MPI's Fortran bindings may call either, and is_nested() must see every call. The names
// are set with __asm__. As names of C++ functions, they would conflict with the declarations in
// mpi.h, because some handle types differ from those in mpi.h (see family.h).
#pragma once

#include "pmpi-shim/core/argument_lists.h"
#include "pmpi-shim/core/wrapper.h"

namespace apmt::shim {

/// Whether the class of a call (see mpi_calls.def) fits its plan and its arguments.
template <class Plan, Role... kRoles>
constexpr bool class_fits(format::OpClass op_class, RoleList<kRoles...>) {
  using format::OpClass;
  if (Plan::kSynchronises != (op_class == OpClass::kCollective)) return false;
  if (Plan::kCompletes && op_class != OpClass::kCompletion) return false;
  const bool has_root = ((kRoles == Role::root) || ...);
  return !(has_root && Plan::kSynchronises);
}

}  // namespace apmt::shim

#define APMT_DEFINE(name, op_class, width, plan, ...)                                             \
  extern "C" __attribute__((visibility("default"))) int apmt_##name(                              \
      APMT_PARAMETERS(width, __VA_ARGS__)) __asm__("MPI_" #name);                                 \
  extern "C" __attribute__((visibility("default"), alias("MPI_" #name))) int apmt_p_##name(       \
      APMT_PARAMETERS(width, __VA_ARGS__)) __asm__("PMPI_" #name);                                \
  static_assert(class_fits<plan>(format::OpClass::op_class, RoleList<APMT_ROLES(__VA_ARGS__)>{}), \
                "MPI_" #name ": class, rule and root do not fit");                                \
  int apmt_##name(APMT_PARAMETERS(width, __VA_ARGS__)) {                                          \
    return wrap<Op::k##name, plan>(RoleList<APMT_ROLES(__VA_ARGS__)>{},                           \
                                   __builtin_return_address(0),                                   \
                                   __builtin_frame_address(0) APMT_ARGUMENTS(__VA_ARGS__));       \
  }

#define APMT_CALL(name, op_class, plan, ...) \
  APMT_DEFINE(name, op_class, Width::kNarrow, plan __VA_OPT__(, ) __VA_ARGS__)
#define APMT_CALL_C(name, op_class, plan, ...)                                 \
  APMT_DEFINE(name, op_class, Width::kNarrow, plan __VA_OPT__(, ) __VA_ARGS__) \
  APMT_DEFINE(name##_c, op_class, Width::kWide, plan __VA_OPT__(, ) __VA_ARGS__)
#define APMT_CALL_WIDE(name, op_class, plan, ...) \
  APMT_DEFINE(name, op_class, Width::kWide, plan __VA_OPT__(, ) __VA_ARGS__)
#define APMT_UNTOUCHED(name)
