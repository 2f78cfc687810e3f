// Freeing what we keep knowledge about. Also from inside MPI: an attribute's delete function may
// free communicators and types of the program's.
#pragma once

#include "pmpi-shim/core/plans.h"

namespace apmt::shim {

struct ForgetsComm : Plan {
  static constexpr bool kBlocks = true;
  static constexpr bool kForgets = true;
  template <class A>
  static void forget(A& args) {
    forget_comm(*args.template get<Role::comm_ref>());
  }
  template <class A>
  void before(A& args) {
    forget(args);
  }
};

struct ForgetsType : Plan {
  static constexpr bool kForgets = true;
  template <class A>
  static void forget(A& args) {
    forget_type(*args.template get<Role::type_ref>());
  }
  template <class A>
  void before(A& args) {
    forget(args);
  }
};

}  // namespace apmt::shim
