// The size of a datatype in bytes. MPI is asked only once for each handle.
#pragma once

#include "pmpi-shim/core/handle_table.h"

namespace apmt::shim {

/// The size; 0 for types without data. Only for handles that MPI has just accepted: asking about an
/// invalid one would call the program's error handler.
uint64_t type_bytes(MPI_Datatype type);
/// To be called before the type is freed, because MPI may reuse its handle at once.
void forget_type(MPI_Datatype type);

}  // namespace apmt::shim
