#include "pmpi-shim/core/members.h"

#include <errno.h>

#include "pmpi-shim/core/origins.h"
#include "pmpi-shim/core/state.h"
#include "pmpi-shim/core/targets.h"
#include "profiler/runtime/environment.h"
#include "profiler/runtime/runtime.h"

namespace apmt::shim {
namespace {

using format::PeerClass;

constinit rt::PerRank<HandleTable<Members, kCommunicators>> g_members;

/// Tables of world ranks, for groups whose world ranks are not an arithmetic sequence.
struct Pool {
  static constexpr bool kBeginsEmpty = true;
  int32_t used;
  int32_t ranks[kRankTables];
};
constinit rt::PerRank<Pool> g_pool;

int32_t* take_from_pool(int32_t ranks) {
  Pool& pool = g_pool.here();
  const int32_t begin = __atomic_fetch_add(&pool.used, ranks, __ATOMIC_RELAXED);
  if (begin >= 0 && begin <= kRankTables - ranks) return pool.ranks + begin;
  __atomic_fetch_sub(&pool.used, ranks, __ATOMIC_RELAXED);
  return nullptr;
}

PeerClass joined(PeerClass a, PeerClass b) {
  if (a == PeerClass::kNone) return b;
  return a == b || b == PeerClass::kNone ? a : PeerClass::kMixed;
}

/// Calls visit(rank, world rank or -1) for ranks 0 .. size-1, until visit() returns false.
template <class Visit>
bool for_each_rank(MPI_Group group, int32_t size, Visit visit) {
  constexpr int32_t kChunk = 256;
  int ranks[kChunk], world[kChunk];
  for (int32_t first = 0; first < size; first += kChunk) {
    const int32_t n = size - first < kChunk ? size - first : kChunk;
    for (int32_t i = 0; i < n; ++i) ranks[i] = first + i;
    if (pmpi<Op::kGroup_translate_ranks>(group, static_cast<int>(n), static_cast<const int*>(ranks),
                                         state().world_group,
                                         static_cast<int*>(world)) != MPI_SUCCESS)
      return false;
    for (int32_t i = 0; i < n; ++i)
      if (!visit(first + i, world[i] < 0 ? -1 : world[i])) return false;
  }
  return true;
}

/// Describes the group's world ranks as an arithmetic sequence if they are one; such a group needs
/// no table. Most groups are like this: the world, its halves, rows and columns.
bool try_affine(MPI_Group group, Members& m) {
  m.base = m.stride = 0;
  return for_each_rank(group, m.peers, [&m](int32_t rank, int world) {
    if (world < 0) return false;
    if (rank == 0) m.base = world;
    if (rank == 1) m.stride = world - m.base;
    return world == m.base + m.stride * rank;
  });
}

void fill_table(MPI_Group group, Members& m) {
  if (m.world_capacity < m.peers) {  // the slot may still have the table of an earlier handle
    m.world = take_from_pool(m.peers);
    m.world_capacity = m.world == nullptr ? 0 : m.peers;
  }
  if (m.world == nullptr) {
    __atomic_fetch_add(&state().comms_lost, 1, __ATOMIC_RELAXED);
    return;
  }
  for_each_rank(group, m.peers, [&m](int32_t rank, int world) {
    m.world[rank] = world;
    return true;
  });
}

uint64_t g_serial;

/// Fills `m` from the group, and frees the group.
void describe(MPI_Group group, Members& m) {
  m.serial = __atomic_add_fetch(&g_serial, 1, __ATOMIC_RELAXED);
  int size = 0;
  pmpi<Op::kGroup_size>(group, &size);
  m.peers = size;
  if (!m.is_inter) {
    int rank = 0;
    pmpi<Op::kGroup_rank>(group, &rank);
    m.my_rank = rank;
    m.everyone = size;
  }
  m.identity = m.collectives = 0;
  m.is_affine = try_affine(group, m);
  if (!m.is_affine) fill_table(group, m);
  pmpi<Op::kGroup_free>(&group);
  m.nodes = PeerClass::kNone;
  for (int32_t r = 0; r < m.peers && m.nodes != PeerClass::kMixed; ++r)
    if (m.is_inter || r != m.my_rank) m.nodes = joined(m.nodes, node_of(m.world_rank(r)));
}

void describe_comm(MPI_Comm comm, Members& m) {
  int inter = 0;
  pmpi<Op::kComm_test_inter>(comm, &inter);
  m.is_inter = inter != 0;
  MPI_Group group;
  if (m.is_inter) {
    int rank = 0, local = 0, remote = 0;
    pmpi<Op::kComm_rank>(comm, &rank);
    pmpi<Op::kComm_size>(comm, &local);
    pmpi<Op::kComm_remote_size>(comm, &remote);
    m.my_rank = rank;
    m.everyone = local + remote;
    pmpi<Op::kComm_remote_group>(comm, &group);
  } else {
    pmpi<Op::kComm_group>(comm, &group);
  }
  describe(group, m);
}

void describe_window(MPI_Win win, Members& m) {
  m.is_inter = false;
  MPI_Group group;
  pmpi<Op::kWin_get_group>(win, &group);
  describe(group, m);
}

void describe_file(MPI_File file, Members& m) {
  m.is_inter = false;
  MPI_Group group;
  pmpi<Op::kFile_get_group>(file, &group);
  describe(group, m);
}

template <class Handle>
const Members& members_of(HandleKind kind, Handle handle, void (*describe_it)(Handle, Members&),
                          Members& scratch) {
  const uint64_t key = handle_key(kind, handle);
  if (const Members* known = g_members.here().find(key)) return *known;
  const int saved_errno = errno;
  Members* fresh = g_members.here().claim(key);
  if (fresh == nullptr) {
    __atomic_fetch_add(&state().comms_lost, 1, __ATOMIC_RELAXED);
    scratch = {};
    describe_it(handle, scratch);
    errno = saved_errno;
    return scratch;
  }
  describe_it(handle, *fresh);
  g_members.here().publish(*fresh, key);
  errno = saved_errno;
  return *fresh;
}

}  // namespace

PeerClass node_of(int world_rank) {
  if (world_rank < 0) return PeerClass::kOtherNode;  // a spawned or connected process
  return rt::all_on_this_node() ? PeerClass::kSameNode : PeerClass::kUntold;
}

const Members& members_of_comm(MPI_Comm comm, Members& scratch) {
  return members_of(HandleKind::kComm, comm, describe_comm, scratch);
}
const Members& members_of_window(MPI_Win win, Members& scratch) {
  return members_of(HandleKind::kWindow, win, describe_window, scratch);
}
const Members& members_of_file(MPI_File file, Members& scratch) {
  return members_of(HandleKind::kFile, file, describe_file, scratch);
}

void forget_comm(MPI_Comm comm) {
  forget_origin(comm);
  g_members.here().remove_all(handle_key(HandleKind::kComm, comm));
}
void forget_window(MPI_Win win) {
  g_members.here().remove_all(handle_key(HandleKind::kWindow, win));
}
void forget_file(MPI_File file) {
  g_members.here().remove_all(handle_key(HandleKind::kFile, file));
}

}  // namespace apmt::shim
