#include "pmpi-shim/core/origins.h"

#include "pmpi-shim/core/instances.h"
#include "pmpi-shim/core/state.h"
#include "profiler/runtime/tables.h"

namespace apmt::shim {
namespace {

struct Origin {
  uint64_t key;
  uint64_t identity;
  uint64_t children;  // how many communicators were made from it so far; atomic
};

struct Origins {
  static constexpr bool kBeginsEmpty = true;
  HandleTable<Origin, kCommunicators> table;
  bool lost;
};
constinit rt::PerRank<Origins> g_origins;

uint64_t key_of(MPI_Comm comm) { return handle_key(HandleKind::kComm, comm); }

void put(MPI_Comm comm, uint64_t identity) {
  Origins& origins = g_origins.here();
  Origin* const fresh = origins.table.claim(key_of(comm));
  if (fresh == nullptr) {
    __atomic_store_n(&origins.lost, true, __ATOMIC_RELAXED);
    return;
  }
  fresh->identity = identity;
  fresh->children = 0;
  origins.table.publish(*fresh, key_of(comm));
}

}  // namespace

void note_world_origin(MPI_Comm world) { put(world, 1); }

void note_child(MPI_Comm parent, MPI_Comm child) {
  Origin* const from = g_origins.here().table.find(key_of(parent));
  const uint64_t number =
      from == nullptr ? 0 : __atomic_add_fetch(&from->children, 1, __ATOMIC_RELAXED);
  if (child == state().comm_null) return;
  forget_comm(child);  // an earlier communicator may have had the same handle
  if (from != nullptr) put(child, rt::mix(from->identity + 0x9e3779b97f4a7c15ULL * number) | 1);
}

void note_child_of_group(MPI_Comm parent, MPI_Comm child, int tag) {
  if (child == state().comm_null) return;
  forget_comm(child);
  const uint64_t from = origin_of(key_of(parent));
  if (from == 0) return;
  Members scratch;
  const uint64_t members = hash_of_members(members_of_comm(child, scratch));
  if (members == 0) return;
  const uint64_t group = rt::mix(rt::mix(from ^ members) + static_cast<uint32_t>(tag)) | 1;
  if (const uint64_t number = next_sibling(group)) put(child, rt::mix(group + number) | 1);
}

void forget_origin(MPI_Comm comm) { g_origins.here().table.remove_all(key_of(comm)); }

uint64_t origin_of(uint64_t comm_key) {
  const Origin* const known = g_origins.here().table.find(comm_key);
  return known == nullptr ? 0 : known->identity;
}

bool origins_were_lost() { return __atomic_load_n(&g_origins.here().lost, __ATOMIC_RELAXED); }

}  // namespace apmt::shim
