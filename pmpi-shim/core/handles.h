// Plans of calls that create or free objects about which the recorder keeps data: communicators and
// datatypes.
// Calls that free such an object are not ignored, even if they come from inside MPI (see
// forget()): when MPI deletes an attribute, it calls the program's delete function, which may free
// communicators and types.
#pragma once

#include "pmpi-shim/core/origins.h"
#include "pmpi-shim/core/plans.h"
#include "pmpi-shim/core/state.h"

namespace apmt::shim {

/// Calls that create a communicator from another one, the parent. All ranks of the parent make
/// these calls, in the same order.
struct MakesComm : Blocks<OnComm> {
  template <class A>
  void after(A& args, Traffic& t, Op op) {
    Blocks::after(args, t, op);
    note_child(to_handle<MPI_Comm>(args.template get<Role::comm>()),
               *args.template get<Role::new_comm>());
  }
};

/// Calls that create a communicator and return a request (MPI_Comm_idup). Some MPIs set the new
/// handle only when the request ends; then the communicator's origin is unknown.
struct MakesCommLater : Posts<OnComm> {
  template <class A>
  void before(A& args) {
    *args.template get<Role::new_comm>() = state().comm_null;
  }
  template <class A>
  void after(A& args, Traffic& t, Op op) {
    Posts::after(args, t, op);
    note_child(to_handle<MPI_Comm>(args.template get<Role::comm>()),
               *args.template get<Role::new_comm>());
  }
};

/// MPI_Comm_create_group: only the ranks of the new communicator make this call.
struct MakesCommOfGroup : Blocks<OnComm> {
  template <class A>
  void after(A& args, Traffic& t, Op op) {
    Blocks::after(args, t, op);
    note_child_of_group(to_handle<MPI_Comm>(args.template get<Role::comm>()),
                        *args.template get<Role::new_comm>(), args.template get<Role::tag>());
  }
};

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
