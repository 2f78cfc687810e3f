// Problem sizes of a campaign: lists of values, and how sizes grow with the process count.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "campaign/launching/command_template.h"

namespace apmt {

/// "n=1000,2000,iter=50", or several such texts: the values of each size. Throws InputError.
std::map<std::string, std::vector<SizeValue>> parse_size_lists(
    const std::vector<std::string>& items);

/// Every process count with every combination of sizes. The process count varies fastest.
std::vector<CampaignPoint> campaign_points(
    const std::vector<int>& procs, const std::map<std::string, std::vector<SizeValue>>& sizes);

/// Weak scaling. The given sizes are for the smallest process count. At other counts, the sizes in
/// `work` (an expression; if empty, the product of all sizes) all grow by one factor, so that the
/// work per process stays the same. Whole numbers stay whole.
void scale_weakly(const std::string& work, std::vector<CampaignPoint>* points);

}  // namespace apmt
