// The size of a datatype in bytes; MPI is asked once per handle.
#pragma once

#include "pmpi-shim/core/handle_table.h"

namespace apmt::shim {

/// Only for handles that a call has just accepted; 0 for types without data.
uint64_t type_bytes(MPI_Datatype type);
/// To be called before the handle is freed: MPI may reuse it at once.
void forget_type(MPI_Datatype type);

}  // namespace apmt::shim
