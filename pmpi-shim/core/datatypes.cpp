#include "pmpi-shim/core/datatypes.h"

#include "pmpi-shim/core/state.h"
#include "pmpi-shim/core/targets.h"

namespace apmt::shim {
namespace {

struct KnownType {
  uint64_t key;
  uint64_t bytes;
};
HandleTable<KnownType, 4096> g_types;

uint64_t ask_size(MPI_Datatype type) {
  if (exists(Op::kType_size_x)) {
    MPI_Count bytes = 0;
    if (pmpi<Op::kType_size_x>(type, &bytes) != MPI_SUCCESS || bytes < 0) return 0;
    return static_cast<uint64_t>(bytes);
  }
  int bytes = 0;
  if (pmpi<Op::kType_size>(type, &bytes) != MPI_SUCCESS || bytes < 0) return 0;
  return static_cast<uint64_t>(bytes);
}

}  // namespace

uint64_t type_bytes(MPI_Datatype type) {
  if (const uint64_t bytes = size_in_handle(type)) return bytes;
  const uint64_t key = handle_key(HandleKind::kType, type);
  if (const KnownType* known = g_types.find(key)) return known->bytes;
  // MPI is not asked about MPI_DATATYPE_NULL, because that would call the program's error handler.
  // Programs pass it where a call ignores the type.
  if (type == state().type_null) return 0;
  const uint64_t bytes = ask_size(type);
  if (KnownType* fresh = g_types.claim(key)) {
    fresh->bytes = bytes;
    g_types.publish(*fresh, key);
  }
  return bytes;
}

void forget_type(MPI_Datatype type) { g_types.remove_all(handle_key(HandleKind::kType, type)); }

}  // namespace apmt::shim
