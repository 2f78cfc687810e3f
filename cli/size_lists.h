// Parses the problem sizes of a campaign, combines them with process counts, and lets them grow for
// weak scaling.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "campaign/launching/command_template.h"

namespace apmt {

/// Parses "n=1000,2000,iter=50", or several such texts, into the values of each size. Throws
/// InputError.
std::map<std::string, std::vector<SizeValue>> parse_size_lists(
    const std::vector<std::string>& items);

/// All combinations of a process count with one value of each size. The process count varies
/// fastest.
std::vector<CampaignPoint> campaign_points(
    const std::vector<int>& procs, const std::map<std::string, std::vector<SizeValue>>& sizes);

/// Adjusts the sizes for weak scaling. The given sizes are for the smallest process count. At other
/// counts, all sizes that occur in the expression `work` (or in the product of all sizes, if `work`
/// is empty) grow by the same factor, so that the work per process stays the same. Whole numbers
/// stay whole.
///
/// If no sizes are given, the command must give the problem size per process. Each point then has a
/// single size, named kWorkOfProcesses, whose value is the process count.
void scale_weakly(const std::string& work, std::vector<CampaignPoint>* points);

/// What scale_weakly() assumed about the work if no --work was given, with the sizes at each
/// process count. Empty if no size is given or the points have one process count.
std::string assumed_work(const std::vector<CampaignPoint>& points);

}  // namespace apmt
