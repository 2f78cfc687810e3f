#include "pmpi-shim/core/instances.h"

#include "pmpi-shim/core/origins.h"
#include "pmpi-shim/core/state.h"
#include "profiler/runtime/tables.h"

namespace apmt::shim {
namespace {

struct Siblings {
  static constexpr bool kBeginsEmpty = true;
  static constexpr uint32_t kCapacity = 1024;
  struct Slot {
    uint64_t kind;
    uint64_t count;
  };
  Slot slots[kCapacity];

  uint64_t next(uint64_t kind) {
    for (uint32_t i = 0; i < kCapacity; ++i) {
      Slot& slot = slots[(kind + i) % kCapacity];
      uint64_t seen = 0;
      if (__atomic_compare_exchange_n(&slot.kind, &seen, kind, false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE) ||
          seen == kind)
        return __atomic_add_fetch(&slot.count, 1, __ATOMIC_RELAXED);
    }
    return 0;
  }
};
constinit rt::PerRank<Siblings> g_siblings;

constexpr uint64_t kNone = ~uint64_t{0};  // the ranks cannot all compute the same number

/// A number for a communicator that is the same on all its ranks. Members alone do not identify a
/// communicator, because several communicators may have the same members. Communicators whose
/// origin (origins.h) is unknown are distinguished by the order of their first synchronising
/// collectives. This order is the same on all ranks if each has only one thread in MPI.
uint64_t identify(const Members& m) {
  const uint64_t members = hash_of_members(m);
  if (members == 0) return kNone;
  if (const uint64_t origin = origin_of(m.key)) return rt::mix(origin ^ members) | 1;
  if (state().multiple || origins_were_lost()) return kNone;
  const uint64_t number = next_sibling(members);
  return number == 0 ? kNone : rt::mix(members + number) | 1;
}

}  // namespace

uint64_t hash_of_members(const Members& m) {
  uint64_t hash = static_cast<uint64_t>(m.peers);
  for (int32_t r = 0; r < m.peers; ++r) {
    const int world_rank = m.world_rank(r);
    if (world_rank < 0) return 0;
    hash = rt::mix(hash ^ static_cast<uint64_t>(world_rank)) * 3;
  }
  return hash;
}

uint64_t next_sibling(uint64_t kind) { return g_siblings.here().next(kind); }

void note_instance(const Traffic& t, Op op) {
  const Members& m = *t.members;
  if (&m == &t.scratch || m.is_inter || m.peers < 2) return;
  if (m.identity == 0) m.identity = identify(m);
  if (m.identity == kNone) return;
  const uint64_t key = rt::mix(m.identity + 0x9e3779b97f4a7c15ULL * ++m.collectives) | 2;
  rt::add_instance(key, number(op), t.comm_size, t.size(), t.end_ns - t.begin_ns);
}

}  // namespace apmt::shim
