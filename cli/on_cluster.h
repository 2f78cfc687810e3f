// Makes the runs of a campaign on a simulated cluster (--virtual).
#pragma once

#include <string>

#include "campaign/campaign.h"

namespace apmt {

/// Lets SMPI simulate the runs on the cluster `name`, a file or the name of one that comes with
/// apmt. The files that SimGrid needs are written into the folder `virtual` of the campaign's
/// experiment just before each run, so that a dry run writes nothing.
void run_on_cluster(const std::string& name, CampaignOptions* campaign);

}  // namespace apmt
