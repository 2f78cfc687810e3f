// Rules that compute the bytes of collectives: the bytes in this rank's send and receive buffers,
// including the block that it sends to itself. A buffer counts once, even if its data go to many
// ranks: MPI chooses the algorithm, so the number of messages is not known here. The fitted model
// assumes an algorithm.
#pragma once

#include "pmpi-shim/core/plans.h"

namespace apmt::shim {

inline bool in_place(const void* buffer) { return buffer == MPI_IN_PLACE; }

/// Sum over ranks of counts[r] times the type's size. MPI_Alltoallw and its variants have one type
/// for each rank.
template <class Counts>
uint64_t sum_of(const Counts* counts, MPI_Datatype type, int n) {
  uint64_t sum = 0;
  for (int i = 0; i < n; ++i) sum += to_count(counts[i]);
  return sum == 0 ? 0 : sum * type_bytes(type);
}
template <class Counts>
uint64_t sum_of(const Counts* counts, const MPI_Datatype* types, int n) {
  uint64_t sum = 0;
  for (int i = 0; i < n; ++i) sum += bytes_of(counts[i], types[i]);
  return sum;
}

/// What this rank does in a rooted collective. kNone: it does nothing, because it belongs to the
/// root's group of an inter-communicator, in which only the root takes part.
enum class Part { kRoot, kLeaf, kNone };
inline Part part_of(const Members& m, int root) {
  if (m.is_inter)
    return root == MPI_ROOT ? Part::kRoot : root == MPI_PROC_NULL ? Part::kNone : Part::kLeaf;
  return root == m.my_rank ? Part::kRoot : Part::kLeaf;
}

template <class A>
const Members& take_part(A& args, Traffic& t) {
  const Members& m = locate(args, t);
  t.peer = m.nodes;
  return m;
}
template <class A>
MPI_Datatype send_type(A& args) {
  return to_handle<MPI_Datatype>(args.template get<Role::sendtype>());
}
template <class A>
MPI_Datatype recv_type(A& args) {
  return to_handle<MPI_Datatype>(args.template get<Role::recvtype>());
}
template <class A>
uint64_t send_block(A& args) {
  return bytes_of(args.template get<Role::sendcount>(), args.template get<Role::sendtype>());
}
template <class A>
uint64_t recv_block(A& args) {
  return bytes_of(args.template get<Role::recvcount>(), args.template get<Role::recvtype>());
}
template <class A>
uint64_t whole_buffer(A& args) {
  return bytes_of(args.template get<Role::count>(), args.template get<Role::type>());
}
inline uint64_t times(uint64_t bytes, int n) { return bytes * static_cast<uint64_t>(n); }

struct Synchronising : Rule {
  static constexpr bool kSynchronises = true;
};

struct Barrier : Synchronising {
  template <class A>
  static void measure(A& args, Traffic& t) {
    take_part(args, t);
  }
};

struct Bcast : Rule {
  template <class A>
  static void measure(A& args, Traffic& t) {
    const Part part = part_of(take_part(args, t), args.template get<Role::root>());
    if (part == Part::kRoot) t.sent = whole_buffer(args);
    if (part == Part::kLeaf) t.received = whole_buffer(args);
  }
};

struct Reduce : Rule {
  template <class A>
  static void measure(A& args, Traffic& t) {
    const Members& m = take_part(args, t);
    const Part part = part_of(m, args.template get<Role::root>());
    if (part == Part::kNone) return;
    if (part == Part::kRoot) t.received = whole_buffer(args);
    if (part == Part::kLeaf || !m.is_inter) t.sent = whole_buffer(args);
  }
};

struct Allreduce : Synchronising {
  template <class A>
  static void measure(A& args, Traffic& t) {
    take_part(args, t);
    t.sent = t.received = whole_buffer(args);
  }
};
struct Scan : Allreduce {
  static constexpr bool kSynchronises = false;
};
struct Exscan : Rule {
  template <class A>
  static void measure(A& args, Traffic& t) {
    const Members& m = take_part(args, t);
    t.sent = whole_buffer(args);
    t.received = m.my_rank == 0 ? 0 : t.sent;  // MPI gives rank 0 no result
  }
};

struct Gather : Rule {
  template <class A>
  static void measure(A& args, Traffic& t) {
    const Members& m = take_part(args, t);
    const Part part = part_of(m, args.template get<Role::root>());
    if (part == Part::kNone) return;
    if (part == Part::kRoot) t.received = times(recv_block(args), m.peers);
    if (part == Part::kRoot && m.is_inter) return;
    t.sent = part == Part::kRoot && in_place(args.template get<Role::sendbuf>()) ? recv_block(args)
                                                                                 : send_block(args);
  }
};

struct Gatherv : Rule {
  template <class A>
  static void measure(A& args, Traffic& t) {
    const Members& m = take_part(args, t);
    const Part part = part_of(m, args.template get<Role::root>());
    if (part == Part::kNone) return;
    if (part == Part::kRoot)
      t.received = sum_of(args.template get<Role::recvcounts>(), recv_type(args), m.peers);
    if (part == Part::kRoot && m.is_inter) return;
    t.sent = part == Part::kRoot && in_place(args.template get<Role::sendbuf>())
                 ? bytes_of(args.template get<Role::recvcounts>()[m.my_rank], recv_type(args))
                 : send_block(args);
  }
};

struct Scatter : Rule {
  template <class A>
  static void measure(A& args, Traffic& t) {
    const Members& m = take_part(args, t);
    const Part part = part_of(m, args.template get<Role::root>());
    if (part == Part::kNone) return;
    if (part == Part::kRoot) t.sent = times(send_block(args), m.peers);
    if (part == Part::kRoot && m.is_inter) return;
    t.received = part == Part::kRoot && in_place(args.template get<Role::recvbuf>())
                     ? send_block(args)
                     : recv_block(args);
  }
};

struct Scatterv : Rule {
  template <class A>
  static void measure(A& args, Traffic& t) {
    const Members& m = take_part(args, t);
    const Part part = part_of(m, args.template get<Role::root>());
    if (part == Part::kNone) return;
    if (part == Part::kRoot)
      t.sent = sum_of(args.template get<Role::sendcounts>(), send_type(args), m.peers);
    if (part == Part::kRoot && m.is_inter) return;
    t.received = part == Part::kRoot && in_place(args.template get<Role::recvbuf>())
                     ? bytes_of(args.template get<Role::sendcounts>()[m.my_rank], send_type(args))
                     : recv_block(args);
  }
};

struct Allgather : Synchronising {
  template <class A>
  static void measure(A& args, Traffic& t) {
    const Members& m = take_part(args, t);
    t.received = times(recv_block(args), m.peers);
    t.sent = in_place(args.template get<Role::sendbuf>()) ? recv_block(args) : send_block(args);
  }
};

struct Allgatherv : Synchronising {
  template <class A>
  static void measure(A& args, Traffic& t) {
    const Members& m = take_part(args, t);
    t.received = sum_of(args.template get<Role::recvcounts>(), recv_type(args), m.peers);
    t.sent = in_place(args.template get<Role::sendbuf>())
                 ? bytes_of(args.template get<Role::recvcounts>()[m.my_rank], recv_type(args))
                 : send_block(args);
  }
};

struct Alltoall : Synchronising {
  template <class A>
  static void measure(A& args, Traffic& t) {
    const Members& m = take_part(args, t);
    t.received = times(recv_block(args), m.peers);
    t.sent = in_place(args.template get<Role::sendbuf>()) ? t.received
                                                          : times(send_block(args), m.peers);
  }
};

struct Alltoallv : Synchronising {
  template <class A>
  static void measure(A& args, Traffic& t) {
    const Members& m = take_part(args, t);
    t.received = sum_of(args.template get<Role::recvcounts>(), recv_type(args), m.peers);
    t.sent = in_place(args.template get<Role::sendbuf>())
                 ? t.received
                 : sum_of(args.template get<Role::sendcounts>(), send_type(args), m.peers);
  }
};

struct Alltoallw : Synchronising {
  template <class A>
  static void measure(A& args, Traffic& t) {
    const Members& m = take_part(args, t);
    t.received = sum_of(args.template get<Role::recvcounts>(), args.template get<Role::recvtypes>(),
                        m.peers);
    t.sent = in_place(args.template get<Role::sendbuf>())
                 ? t.received
                 : sum_of(args.template get<Role::sendcounts>(),
                          args.template get<Role::sendtypes>(), m.peers);
  }
};

/// In an inter-communicator, each group receives the result that is computed from the other group's
/// data, and `recvcounts` has one entry for each rank of the local group.
struct ReduceScatter : Synchronising {
  template <class A>
  static void measure(A& args, Traffic& t) {
    const Members& m = take_part(args, t);
    const int locals = m.is_inter ? m.everyone - m.peers : m.peers;
    const MPI_Datatype type = to_handle<MPI_Datatype>(args.template get<Role::type>());
    t.sent = sum_of(args.template get<Role::recvcounts>(), type, locals);
    t.received = bytes_of(args.template get<Role::recvcounts>()[m.my_rank], type);
  }
};

struct ReduceScatterBlock : Synchronising {
  template <class A>
  static void measure(A& args, Traffic& t) {
    const Members& m = take_part(args, t);
    const int locals = m.is_inter ? m.everyone - m.peers : m.peers;
    t.received = bytes_of(args.template get<Role::recvcount>(), args.template get<Role::type>());
    t.sent = times(t.received, locals);
  }
};

}  // namespace apmt::shim
