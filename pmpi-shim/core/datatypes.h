// The size of a datatype in bytes. MPI is asked only once for each handle.
#pragma once

#include "pmpi-shim/core/handle_table.h"

namespace apmt::shim {

/// The size, 0 for types without data. Only for handles that a call has just accepted.
uint64_t type_bytes(MPI_Datatype type);
/// To be called before the handle is freed: MPI may reuse it at once.
void forget_type(MPI_Datatype type);

}  // namespace apmt::shim
