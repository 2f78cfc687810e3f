// What the launcher tells a process: APMT_* settings, and the job, rank and size under which each
// known launcher starts it. Read once, in ordinary context; no allocation.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace apmt::rt {

/// The value of an environment variable, nullptr when unset or empty.
const char* env(const char* name);

/// A whole number in an environment variable, `otherwise` when unset or not a number.
int64_t env_number(const char* name, int64_t otherwise);

/// Rank, size and ranks on this node, as the launcher says; -1 when it does not.
int launcher_rank();
int launcher_size();
int launcher_local_size();

/// There are more ranks on this node than CPUs, as far as the launcher says.
bool cores_are_shared();

/// The variables of the program's environment that a recording keeps (docs/formats.md lists them).
extern const char* const kRecordedVariables[];

}  // namespace apmt::rt
