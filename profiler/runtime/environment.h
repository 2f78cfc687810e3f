// Reads the environment of a process: APMT_* settings, and the rank and numbers of ranks that each
// known launcher sets. Not async-signal-safe; allocates nothing.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace apmt::rt {

/// The value of an environment variable; nullptr if it is unset or empty.
const char* env(const char* name);

/// The whole number in an environment variable; `otherwise` if it is unset, negative or not a
/// number.
int64_t env_number(const char* name, int64_t otherwise);

/// Rank, number of ranks, and number of ranks on this node, according to the launcher's variables;
/// -1 if no variable contains the number.
int launcher_rank();
int launcher_size();
int launcher_local_size();

/// True if all ranks are known to run on this node, according to the launcher's variables.
bool all_on_this_node();

/// Whether there are more ranks on this node than CPUs, according to the launcher's variables.
bool cores_are_shared();

/// In Open MPI's launcher, started by a script: removes the list of variables for other nodes if
/// the launcher has options -x, because it would refuse to start. `exe` is the path of this
/// process's program.
void make_way_for_exports(const char* exe);

/// The environment variables of the program that a recording keeps (docs/environment.md lists
/// them).
extern const char* const kRecordedVariables[];

}  // namespace apmt::rt
