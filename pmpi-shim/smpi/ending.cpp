#include "pmpi-shim/smpi/ending.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "family.h"
#include "pmpi-shim/core/targets.h"

namespace apmt::shim {
namespace {

/// Ends only the calling rank if it has called MPI_Finalize. Before that, exit() ends the whole
/// process, because the other ranks would wait for this rank's messages. (In C and C++ programs,
/// SMPI's headers already replace the calls of exit(). In Fortran programs, SMPI does not replace
/// them.)
[[noreturn]] void end_rank(int status) {
  using EndRank = void (*)(int);
  static const EndRank smpi_exit = reinterpret_cast<EndRank>(dlsym(RTLD_DEFAULT, "smpi_exit"));
  int has_finalized = 0;
  if (smpi_exit != nullptr && exists(Op::kFinalized) &&
      pmpi<Op::kFinalized>(&has_finalized) == MPI_SUCCESS && has_finalized != 0)
    smpi_exit(status);
  exit(status);
}

}  // namespace

void* ending_function(const char* name) {
  return strcmp(name, "exit") == 0 ? reinterpret_cast<void*>(end_rank) : nullptr;
}

}  // namespace apmt::shim
