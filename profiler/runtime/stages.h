// Ends the main stage of a process that ends without MPI_Finalize. The functions that the shim
// calls at the borders of stages are in the interface (runtime.h).
#pragma once

#include <stdint.h>

#include "profiler/profile_format.h"

namespace apmt::rt {

/// Whether the recording is that of the calling process. A forked child has the parent's mapping of
/// the recording, but is not the rank.
bool owns_recording();

/// Sets the given time in the header to the current time.
void mark(int64_t format::Header::*when);

/// If the program is in the main stage and recording is on: stops counting samples and CPU times as
/// those of this stage.
void end_main();
/// Stores the CPU times of the main stage and of the process. A second call changes only the CPU
/// time of the process.
void end_main_cpu(format::Header& header);

}  // namespace apmt::rt
