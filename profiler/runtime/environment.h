// The environment of a process: APMT_* settings, and the job, rank and size that each known
// launcher sets. Read once, in ordinary context; no allocation.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace apmt::rt {

/// The value of an environment variable, nullptr when unset or empty.
const char* env(const char* name);

/// A whole number in an environment variable, `otherwise` when unset or not a number.
int64_t env_number(const char* name, int64_t otherwise);

/// Rank, size, and ranks on this node according to the launcher; each -1 if it does not say.
int launcher_rank();
int launcher_size();
int launcher_local_size();

/// Whether there are more ranks on this node than CPUs, according to the launcher's variables.
bool cores_are_shared();

/// The variables of the program's environment that a recording keeps (docs/environment.md lists them).
extern const char* const kRecordedVariables[];

}  // namespace apmt::rt
