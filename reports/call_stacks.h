// The times of a run by call stack, for the formats of other profile viewers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "profile/run_profile.h"

namespace apmt {

/// Seconds by call stack. A stack is the list of its frames, the program first.
using CallStacks = std::map<std::vector<std::string>, double>;

/// For a recorded run: its functions, and its MPI operations below their callers, summed over
/// ranks. For an imported run: the call paths of the other tool's file, as means over ranks.
CallStacks call_stacks(const RunProfile& profile);

/// Whether call_stacks() leaves out the time in MPI. It does so for runs with more ranks than
/// cores, in which this time is mostly waiting for a core.
bool leaves_out_mpi(const RunProfile& profile);

}  // namespace apmt
