// Removes runs that were cut off. A run that ended after a third of its time would otherwise look
// like a run of a program that is three times as fast.
#pragma once

#include <string>
#include <vector>

#include "profile/run_profile.h"

namespace apmt {

/// Removes the incomplete runs if there are complete ones, and returns a sentence for each removed
/// run. If no run is complete, all are kept, and the warnings about their health say so.
std::vector<std::string> leave_out_cut_off(std::vector<RunProfile>* runs);

}  // namespace apmt
