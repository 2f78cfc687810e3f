// Warns about runs that are too short or disturbed, at the end of `apmt run`, when repeating them
// is easy.
#pragma once

#include "campaign/campaign.h"

namespace apmt {

/// Names the points whose runs are too short, and the runs in which a rank was stalled. All runs at
/// the campaign's points are judged, including those of earlier calls of `apmt run`.
void warn_of_doubtful_runs(const CampaignOptions& campaign);

}  // namespace apmt
