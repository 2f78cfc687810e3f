// Runs that were cut off are no measurement of the program: what ends after a third of its time
// would be fitted as a program three times as fast.
#pragma once

#include <string>
#include <vector>

#include "profile/run_profile.h"

namespace apmt {

/// Removes the runs that are not whole where others are, and returns a sentence for each. Where
/// none is whole they stay: they are all there is, and their health is told elsewhere.
std::vector<std::string> leave_out_cut_off(std::vector<RunProfile>* runs);

}  // namespace apmt
