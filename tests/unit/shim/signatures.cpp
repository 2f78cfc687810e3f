// A compile-time test; nothing here runs. If this MPI declares a function of the table
// (mpi_calls.def), the declaration and the table must agree on the number of arguments, the size of
// each, and whether it is a pointer.
#include <type_traits>

#include "pmpi-shim/core/argument_lists.h"
#include "pmpi-shim/core/roles.h"

// In place of the functions that MPI-3 removed, Open MPI's header defines macros, which do not
// compile.
#undef MPI_Address
#undef MPI_Errhandler_create
#undef MPI_Errhandler_get
#undef MPI_Errhandler_set
#undef MPI_Type_extent
#undef MPI_Type_hindexed
#undef MPI_Type_hvector
#undef MPI_Type_lb
#undef MPI_Type_struct
#undef MPI_Type_ub

namespace apmt::shim {
namespace {

/// Converts to any type of the size of T that is a pointer exactly if T is one, and to no other
/// type.
template <class T>
struct Like {
  // The MPICH wrappers take handles as uint64_t, a full register, where mpi.h declares int (see
  // mpich/family.h).
  static constexpr bool kIsIntHandle = std::is_same_v<T, uint64_t>;
  template <class U>
  requires(!std::is_reference_v<U> && std::is_pointer_v<U> == std::is_pointer_v<T> &&
           (kIsIntHandle ? sizeof(U) == sizeof(int) : sizeof(U) == sizeof(T)))
  operator U() const;
};
/// Converts to any type. Used to find out whether a function is declared at all.
struct Anything {
  template <class U>
  operator U() const;
};

}  // namespace
}  // namespace apmt::shim

using apmt::shim::Anything;
using apmt::shim::Like;

// If mpi.h does not declare a function, all of these expressions are invalid, and the check is left
// out. That is permitted, because an older MPI lacks newer functions.
// clang-format off
#define APMT_CHECK(name, width, ...)                                                    \
  template <class A>                                                                    \
  constexpr bool declared_##name() {                                                    \
    return requires(A a) { MPI_##name(a); } ||                   \
         requires(A a) { MPI_##name(a, a); } ||                   \
         requires(A a) { MPI_##name(a, a, a); } ||                   \
         requires(A a) { MPI_##name(a, a, a, a); } ||                   \
         requires(A a) { MPI_##name(a, a, a, a, a); } ||                   \
         requires(A a) { MPI_##name(a, a, a, a, a, a); } ||                   \
         requires(A a) { MPI_##name(a, a, a, a, a, a, a); } ||                   \
         requires(A a) { MPI_##name(a, a, a, a, a, a, a, a); } ||                   \
         requires(A a) { MPI_##name(a, a, a, a, a, a, a, a, a); } ||                   \
         requires(A a) { MPI_##name(a, a, a, a, a, a, a, a, a, a); } ||                   \
         requires(A a) { MPI_##name(a, a, a, a, a, a, a, a, a, a, a); } ||                   \
         requires(A a) { MPI_##name(a, a, a, a, a, a, a, a, a, a, a, a); } ||                   \
         requires(A a) { MPI_##name(a, a, a, a, a, a, a, a, a, a, a, a, a); } ||                   \
         requires(A a) { MPI_##name(a, a, a, a, a, a, a, a, a, a, a, a, a, a); };                              \
  }                                                                                     \
  template <class... T>                                                                 \
  constexpr bool fits_##name(int (*)(T...)) {                                           \
    return requires(Like<T>... like) { MPI_##name(like...); };                          \
  }                                                                                     \
  using Type_##name = int (*)(APMT_PARAMETERS(apmt::shim::Width::width, __VA_ARGS__));  \
  static_assert(!declared_##name<Anything>() || fits_##name(Type_##name{}), "MPI_" #name);
// clang-format on

#define Arg apmt::shim::Arg
#define Role apmt::shim::Role
#define APMT_CALL(name, op_class, plan, ...) APMT_CHECK(name, kNarrow __VA_OPT__(, ) __VA_ARGS__)
#define APMT_CALL_C(name, op_class, plan, ...)         \
  APMT_CHECK(name, kNarrow __VA_OPT__(, ) __VA_ARGS__) \
  APMT_CHECK(name##_c, kWide __VA_OPT__(, ) __VA_ARGS__)
#define APMT_CALL_WIDE(name, op_class, plan, ...) APMT_CHECK(name, kWide __VA_OPT__(, ) __VA_ARGS__)
#include "pmpi-shim/mpi_calls.def"
