// Warnings about the runs of a campaign that say little, at the end of apmt run, when they can
// still be made again.
#pragma once

#include "campaign/campaign.h"

namespace apmt {

/// Warns of points whose runs are too short, and of runs in which a rank was stalled. Judges the
/// runs at the campaign's points, also those of earlier calls.
void warn_of_doubtful_runs(const CampaignOptions& campaign);

}  // namespace apmt
