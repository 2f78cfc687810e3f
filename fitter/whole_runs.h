// Runs that were cut off are not measurements of the program: one that ended after a third of its
// time would be fitted as a program three times as fast.
#pragma once

#include <string>
#include <vector>

#include "profile/run_profile.h"

namespace apmt {

/// Removes the incomplete runs if there are complete ones, and returns a sentence for each. If none
/// is complete they stay, and the report on their health says so.
std::vector<std::string> leave_out_cut_off(std::vector<RunProfile>* runs);

}  // namespace apmt
