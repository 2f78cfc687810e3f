// Rules and plans of MPI I/O. Bytes written count as sent, bytes read as received; the
// MPI_Status gives the number of bytes read.
#pragma once

#include "pmpi-shim/core/plans.h"

namespace apmt::shim {

template <class A>
void locate_file(A& args, Traffic& t) {
  t.on(members_of_file(to_handle<MPI_File>(args.template get<Role::file>()), t.scratch));
}

struct OnFile : Rule {
  template <class A>
  static void measure(A& args, Traffic& t) {
    locate_file(args, t);
  }
};

struct FileWrite : Rule {
  template <class A>
  static void measure(A& args, Traffic& t) {
    locate_file(args, t);
    t.sent = bytes_of(args.template get<Role::count>(), args.template get<Role::type>());
  }
};

struct FileRead : Rule {
  static constexpr bool kNeedsStatus = true;
  template <class A>
  static void measure(A& args, Traffic& t) {
    locate_file(args, t);
    t.awaited = bytes_of(args.template get<Role::count>(), args.template get<Role::type>());
    t.flags |= kStatusBytes;
  }
};

/// The second half of a split collective read (MPI_File_read_all_end and similar calls).
struct FileReadEnd : Rule {
  static constexpr bool kNeedsStatus = true;
  template <class A>
  static void measure(A& args, Traffic& t) {
    locate_file(args, t);
    t.awaited = UINT64_MAX;  // the count was an argument of the first half
    t.flags |= kStatusBytes;
  }
};

struct ForgetsFile : Plan {
  static constexpr bool kBlocks = true;
  static constexpr bool kForgets = true;
  template <class A>
  static void forget(A& args) {
    forget_file(*args.template get<Role::file_ref>());
  }
  template <class A>
  void before(A& args) {
    forget(args);
  }
};

}  // namespace apmt::shim
