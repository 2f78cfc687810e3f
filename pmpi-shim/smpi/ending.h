// In SMPI, all ranks share a process, which exit() would end: a rank that calls exit() after
// MPI_Finalize may do so before other ranks have reached MPI_Finalize.
#pragma once

namespace apmt::shim {

/// The function that takes the place of the C library's `name` (exit) in the program's copies and in
/// the libraries that are loaded with them, such as gfortran's; nullptr for other names. It ends a
/// rank as SMPI does, by an exception that unwinds the rank's stack.
void* ending_function(const char* name);

}  // namespace apmt::shim
