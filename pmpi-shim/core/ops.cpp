#include "pmpi-shim/core/ops.h"

namespace apmt::shim {

const format::Op kOpTable[kOpCount] = {
    {"", format::OpClass::kOther},
#define APMT_CALL(name, op_class, ...) {"MPI_" #name, format::OpClass::op_class},
#define APMT_CALL_C(name, op_class, ...) \
  {"MPI_" #name, format::OpClass::op_class}, {"MPI_" #name "_c", format::OpClass::op_class},
#define APMT_CALL_WIDE(name, op_class, ...) {"MPI_" #name, format::OpClass::op_class},
#include "pmpi-shim/mpi_calls.def"
};

}  // namespace apmt::shim
