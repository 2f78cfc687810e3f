// Rules of neighbourhood collectives, whose buffers have a block for each neighbour. Beyond the
// border of a Cartesian grid the neighbour is MPI_PROC_NULL, whose block is neither sent nor
// filled.
#pragma once

#include "pmpi-shim/core/collectives.h"

namespace apmt::shim {

/// This rank's neighbours. A Cartesian grid has two per dimension; some may not exist.
class Neighbours {
 public:
  explicit Neighbours(MPI_Comm comm);
  int in() const { return in_; }    // blocks of the receive buffer
  int out() const { return out_; }  // blocks of the send buffer
  bool present(int i) const { return i >= kMaxMarked || present_[i]; }
  int present_in() const { return in_ - absent_; }
  int present_out() const { return out_ - absent_; }

 private:
  static constexpr int kMaxMarked = 64;  // two for each of 32 dimensions
  int in_ = 0;
  int out_ = 0;
  int absent_ = 0;
  bool present_[kMaxMarked];
};

/// Sum of bytes over the neighbours that exist. There is one datatype, or an array with a datatype
/// for each neighbour.
template <class Counts>
uint64_t sum_present(const Counts* counts, MPI_Datatype type, int n, const Neighbours& who) {
  uint64_t sum = 0;
  for (int i = 0; i < n; ++i)
    if (who.present(i)) sum += bytes_of(counts[i], type);
  return sum;
}
template <class Counts>
uint64_t sum_present(const Counts* counts, const MPI_Datatype* types, int n,
                     const Neighbours& who) {
  uint64_t sum = 0;
  for (int i = 0; i < n; ++i)
    if (who.present(i)) sum += bytes_of(counts[i], types[i]);
  return sum;
}

template <class A>
Neighbours neighbours(A& args, Traffic& t) {
  take_part(args, t);
  return Neighbours(to_handle<MPI_Comm>(args.template get<Role::comm>()));
}

struct NeighborAllgather : Rule {
  template <class A>
  static void measure(A& args, Traffic& t) {
    const Neighbours who = neighbours(args, t);
    t.sent = who.present_out() > 0 ? send_block(args) : 0;
    t.received = times(recv_block(args), who.present_in());
  }
};

struct NeighborAllgatherv : Rule {
  template <class A>
  static void measure(A& args, Traffic& t) {
    const Neighbours who = neighbours(args, t);
    t.sent = who.present_out() > 0 ? send_block(args) : 0;
    t.received = sum_present(args.template get<Role::recvcounts>(), recv_type(args), who.in(), who);
  }
};

struct NeighborAlltoall : Rule {
  template <class A>
  static void measure(A& args, Traffic& t) {
    const Neighbours who = neighbours(args, t);
    t.sent = times(send_block(args), who.present_out());
    t.received = times(recv_block(args), who.present_in());
  }
};

struct NeighborAlltoallv : Rule {
  template <class A>
  static void measure(A& args, Traffic& t) {
    const Neighbours who = neighbours(args, t);
    t.sent = sum_present(args.template get<Role::sendcounts>(), send_type(args), who.out(), who);
    t.received = sum_present(args.template get<Role::recvcounts>(), recv_type(args), who.in(), who);
  }
};

struct NeighborAlltoallw : Rule {
  template <class A>
  static void measure(A& args, Traffic& t) {
    const Neighbours who = neighbours(args, t);
    t.sent = sum_present(args.template get<Role::sendcounts>(),
                         args.template get<Role::sendtypes>(), who.out(), who);
    t.received = sum_present(args.template get<Role::recvcounts>(),
                             args.template get<Role::recvtypes>(), who.in(), who);
  }
};

}  // namespace apmt::shim
