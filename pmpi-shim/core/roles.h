// The role of each argument of an MPI call, and how to find an argument by its role.
#pragma once

#include <stddef.h>

#include <tuple>
#include <utility>

#include "family.h"
#include "pmpi-shim/core/turns.h"

namespace apmt::shim {

enum class Role {
#define APMT_ROLE(role, narrow, wide) role,
#include "pmpi-shim/core/roles.def"
#undef APMT_ROLE
};

/// Wide: counts are MPI_Count, as in the functions whose names end in _c.
enum class Width { kNarrow, kWide };

template <Role, Width>
struct ArgType;
#define APMT_ROLE(role, narrow, wide)          \
  template <>                                  \
  struct ArgType<Role::role, Width::kNarrow> { \
    using type = narrow;                       \
  };                                           \
  template <>                                  \
  struct ArgType<Role::role, Width::kWide> {   \
    using type = wide;                         \
  };
#include "pmpi-shim/core/roles.def"
#undef APMT_ROLE
template <Role role, Width width>
using Arg = typename ArgType<role, width>::type;

template <Role...>
struct RoleList {};

template <class Roles, class... T>
class Args;

/// The arguments of one call. A plan may replace some before the real function sees them.
template <Role... kRoles, class... T>
class Args<RoleList<kRoles...>, T...> {
 public:
  explicit Args(T... values) : values_{values...} {}

  template <Role wanted>
  static constexpr bool has = ((kRoles == wanted) || ...);

  /// The first argument with that role.
  template <Role wanted>
  auto& get() {
    static_assert(has<wanted>, "the call has no argument of this role");
    return std::get<index_of<wanted>()>(values_);
  }

  int call(void* function) { return call(function, std::index_sequence_for<T...>{}); }

 private:
  template <Role wanted>
  static constexpr size_t index_of() {
    constexpr bool matches[] = {(kRoles == wanted)..., true};
    size_t i = 0;
    while (!matches[i]) ++i;
    return i;
  }
  template <size_t... kIndex>
  int call(void* function, std::index_sequence<kIndex...>) {
    [[maybe_unused]] const Turn turn;
    return reinterpret_cast<int (*)(T...)>(function)(std::get<kIndex>(values_)...);
  }

  std::tuple<T...> values_;
};

/// The MPI handle that an argument holds. (family.h explains why the argument's type may differ
/// from the handle's.)
template <class Handle, class Argument>
Handle to_handle(Argument argument) {
  return static_cast<Handle>(argument);
}

/// Counts are int or MPI_Count; a negative one is an error, which MPI reports.
template <class Count>
uint64_t to_count(Count count) {
  return count > 0 ? static_cast<uint64_t>(count) : 0;
}

}  // namespace apmt::shim
