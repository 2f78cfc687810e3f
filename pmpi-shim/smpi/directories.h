// In SMPI, all ranks share a process, and a process has one working directory. These functions give
// each rank its own, as separate processes have.
#pragma once

namespace apmt::shim {

/// Called before a call to MPI, during which other ranks may run: changes to the directory in which
/// the program was started, because ranks that begin during the call expect to be there.
void leave_own_directory();
/// Called when MPI has returned: changes to the active rank's directory.
void enter_own_directory();

/// The function that takes the place of the C library's `name` (chdir, fchdir) in the program's
/// copies; nullptr for other names.
void* directory_function(const char* name);

}  // namespace apmt::shim
