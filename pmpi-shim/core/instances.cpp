#include "pmpi-shim/core/instances.h"

#include "pmpi-shim/core/state.h"
#include "profiler/runtime/tables.h"

namespace apmt::shim {
namespace {

/// How many communicators with the same members have had such a collective so far. They are counted
/// at their first one: ranks learn of communicators in any order, but must call blocking
/// collectives in the same one.
struct Siblings {
  static constexpr bool kBeginsEmpty = true;
  static constexpr uint32_t kCapacity = 1024;
  struct Slot {
    uint64_t members;
    uint64_t count;
  };
  Slot slots[kCapacity];

  /// Number of the next one, from 1; 0: no room.
  uint64_t next(uint64_t members) {
    for (uint32_t i = 0; i < kCapacity; ++i) {
      Slot& slot = slots[(members + i) % kCapacity];
      uint64_t seen = 0;
      if (__atomic_compare_exchange_n(&slot.members, &seen, members, false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE) ||
          seen == members)
        return __atomic_add_fetch(&slot.count, 1, __ATOMIC_RELAXED);
    }
    return 0;
  }
};
constinit rt::PerRank<Siblings> g_siblings;

constexpr uint64_t kNone = ~uint64_t{0};  // ranks cannot agree on this one

/// World ranks in their order. 0 when one is not known: of another job, or without a table.
uint64_t hash_of_members(const Members& m) {
  uint64_t hash = static_cast<uint64_t>(m.peers);
  for (int32_t r = 0; r < m.peers; ++r) {
    const int world_rank = m.world_rank(r);
    if (world_rank < 0) return 0;
    hash = rt::mix(hash ^ static_cast<uint64_t>(world_rank)) * 3;
  }
  return hash;
}

uint64_t identify(const Members& m) {
  const uint64_t members = hash_of_members(m);
  const uint64_t number = members == 0 ? 0 : g_siblings.here().next(members);
  return number == 0 ? kNone : rt::mix(members + number);
}

}  // namespace

void note_instance(const Traffic& t, Op op) {
  const Members& m = *t.members;
  if (&m == &t.scratch || m.is_inter || m.peers < 2) return;
  if (m.identity == 0) m.identity = identify(m);
  if (m.identity == kNone) return;
  const uint64_t key = rt::mix(m.identity + 0x9e3779b97f4a7c15ULL * ++m.collectives) | 2;
  rt::add_instance(key, number(op), t.comm_size, t.size(), t.end_ns - t.begin_ns);
}

}  // namespace apmt::shim
