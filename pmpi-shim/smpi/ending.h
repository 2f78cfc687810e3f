// In SMPI, all ranks share a process, so exit() would end all of them. A rank may call exit() after
// MPI_Finalize while other ranks have not reached MPI_Finalize yet. So exit() is replaced.
#pragma once

namespace apmt::shim {

/// The function that takes the place of the C library's `name` (exit) in the program's copies and
/// in the libraries that are loaded with them, such as gfortran's; nullptr for other names. After
/// MPI_Finalize, the function for exit ends only the calling rank, as SMPI does: by an exception
/// that unwinds the rank's stack.
void* ending_function(const char* name);

}  // namespace apmt::shim
