// The processors that apmt was allowed to use when it was started.
#pragma once

namespace apmt {

/// Allows the main thread to use again all processors that apmt was allowed to use when it was
/// started. If OMP_PROC_BIND, OMP_PLACES or GOMP_CPU_AFFINITY is set, libgomp (which the library
/// Ceres needs) binds the main thread to one processor before main() begins. Without this function,
/// all programs that apmt starts would inherit this binding.
void restore_first_affinity();

}  // namespace apmt
